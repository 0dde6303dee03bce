"""One thread per test process: several of them share the machine's cores."""

import os

os.environ["OMP_NUM_THREADS"] = "1"
