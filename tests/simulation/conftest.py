"""Logs stay quiet: a simulated service meets faults all the time."""

import logging

import structlog

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
