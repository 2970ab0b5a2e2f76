#pragma once

#include "tools/render/report/page/html.h"
#include "tools/reporting/report.h"

/// The sections of the page, in its order; each is a file of that name, or stands in sections.cpp.
namespace timeless::tools {

void head_section(Html& html, const Report& report);
void verdict_section(Html& html, const Report& report);
void saving_figure(Html& html, const Report& report);
void trace_section(Html& html, const Report& report);
void scaling_section(Html& html, const Report& report);
void ground_section(Html& html, const Report& report);
void time_section(Html& html, const Report& report);
void sweep_section(Html& html, const Report& report);
void plane_section(Html& html, const Report& report);
void efficiency_section(Html& html, const Report& report);
void rank_section(Html& html, const Report& report);
void kernel_section(Html& html, const Report& report);
void message_section(Html& html, const Report& report);
void window_section(Html& html, const Report& report);
void smpi_section(Html& html, const Report& report);
void accuracy_section(Html& html, const Report& report);
void data_section(Html& html, const Report& report);
void glossary_section(Html& html, const Report& report);

} // namespace timeless::tools
