#pragma once

/* Computes, sums over all ranks, computes again. */
double solve(long steps);
