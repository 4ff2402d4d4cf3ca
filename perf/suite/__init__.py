"""The parts of perf/run.py; perf/README.md says what they measure."""
