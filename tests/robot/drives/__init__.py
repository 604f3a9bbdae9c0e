"""Tests of drive mechanisms and calibration."""
