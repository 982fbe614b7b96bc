"""Reports: medians, intervals and success rates; figures; one self-contained page."""
