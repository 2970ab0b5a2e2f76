#include "ping/experiment_runner.h"

// Experiments between two ranks.
namespace timeless::ping {

namespace {

constexpr int tag = 0;
constexpr int answer_tag = 1;

} // namespace

void ExperimentRunner::round_trip(const Order& order, bool first) {
  const int bytes = static_cast<int>(order.bytes);
  if (first) {
    await_ready(order.second);
    begin();
    MPI_Send(out_.data(), bytes, MPI_BYTE, order.second, tag, measured_);
    MPI_Recv(in_.data(), bytes, MPI_BYTE, order.second, tag, measured_, MPI_STATUS_IGNORE);
    end();
  } else {
    ready(order.first);
    MPI_Recv(in_.data(), bytes, MPI_BYTE, order.first, tag, measured_, MPI_STATUS_IGNORE);
    MPI_Send(out_.data(), bytes, MPI_BYTE, order.first, tag, measured_);
  }
}

/// Blocking or not: the receive is posted before the sender hears that it may begin.
void ExperimentRunner::send(const Order& order, bool first) {
  const int bytes = static_cast<int>(order.bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  if (!first) {
    MPI_Irecv(in_.data(), bytes, MPI_BYTE, order.first, tag, measured_, &request);
    ready(order.first);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  await_ready(order.second);
  begin();
  if (order.experiment == Experiment::send)
    MPI_Send(out_.data(), bytes, MPI_BYTE, order.second, tag, measured_);
  else
    MPI_Isend(out_.data(), bytes, MPI_BYTE, order.second, tag, measured_, &request);
  end();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// The message is followed by another that says so; what the library needs to take it in has `gap` seconds more.
void ExperimentRunner::receive(const Order& order, bool first) {
  const int bytes = static_cast<int>(order.bytes);
  if (first) {
    await_ready(order.second);
    work(order.gap);
    begin();
    MPI_Recv(in_.data(), bytes, MPI_BYTE, order.second, tag, measured_, MPI_STATUS_IGNORE);
    end();
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out_.data(), bytes, MPI_BYTE, order.first, tag, measured_, &request);
    ready(order.first);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void ExperimentRunner::train(const Order& order, bool first) {
  const int bytes = static_cast<int>(order.bytes);
  if (first) {
    await_ready(order.second);
    begin();
    for (std::uint32_t message = 0; message < order.messages; ++message) {
      if (message > 0) work(order.gap);
      MPI_Send(out_.data(), bytes, MPI_BYTE, order.second, tag, measured_);
    }
    MPI_Recv(in_.data(), 0, MPI_BYTE, order.second, answer_tag, measured_, MPI_STATUS_IGNORE);
    end();
  } else {
    ready(order.first);
    for (std::uint32_t message = 0; message < order.messages; ++message)
      MPI_Recv(in_.data(), bytes, MPI_BYTE, order.first, tag, measured_, MPI_STATUS_IGNORE);
    MPI_Send(out_.data(), 0, MPI_BYTE, order.first, answer_tag, measured_);
  }
}

/// The receiver sleeps, and so takes nothing in, before it posts its receive: from after the sender called it, for
/// `gap` seconds. A sender that begins half of that later, since its processor did other work, may find the receive
/// posted: what it takes then says nothing, and is left out.
void ExperimentRunner::delayed(const Order& order, bool first) {
  const int bytes = static_cast<int>(order.bytes);
  if (!first) {
    ready(order.first);
    timing_.idle(order.gap);
    MPI_Recv(in_.data(), bytes, MPI_BYTE, order.first, tag, measured_, MPI_STATUS_IGNORE);
    return;
  }
  const double called = now();
  await_ready(order.second);
  begin();
  if (order.experiment == Experiment::delayed_send) {
    MPI_Send(out_.data(), bytes, MPI_BYTE, order.second, tag, measured_);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out_.data(), bytes, MPI_BYTE, order.second, tag, measured_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (began_ - called < order.gap / 2) end();
}

/// What is left to wait for once the sender has worked: nothing, where the message travels while it does.
void ExperimentRunner::overlap(const Order& order, bool first) {
  const int bytes = static_cast<int>(order.bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  if (first) {
    await_ready(order.second);
    MPI_Isend(out_.data(), bytes, MPI_BYTE, order.second, tag, measured_, &request);
    work(order.gap);
    begin();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    end();
  } else {
    MPI_Irecv(in_.data(), bytes, MPI_BYTE, order.first, tag, measured_, &request);
    ready(order.first);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

} // namespace timeless::ping
