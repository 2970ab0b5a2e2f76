#!/bin/bash
#SBATCH --job-name=timeless
#SBATCH --output=timeless-%j.log
# Records a program on the nodes of a job, brings the ranks' files together on the shared file system, and predicts.
#
#     sbatch --nodes=4 --ntasks-per-node=16 slurm_job.sh ./program ARGUMENTS...
#
# MPI: how srun starts the program (srun --mpi=list): pmix for Open MPI, pmi2 for MPICH and its relatives.
# LOCAL: a directory on each node's own disk. PLATFORM: the machine to predict (timeless platform list).
set -euo pipefail
recording=${LOCAL:-/tmp}/timeless-$SLURM_JOB_ID
run=$SLURM_SUBMIT_DIR/run-$SLURM_JOB_ID.tia

timeless record -o "$recording" -- srun --mpi="${MPI:-pmix}" "$@"
# One process a node reads what its own disk holds; the files are removed once the archive is whole.
srun --mpi=pmix --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" --kill-on-bad-exit=1 \
  timeless-mpi gather "$recording" -o "$run" --remove
timeless check "$run"
timeless replay "$run" --platform "${PLATFORM:-graphene}"
