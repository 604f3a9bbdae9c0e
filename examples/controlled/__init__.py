"""Controllers at work, for `06_control.py`: an arm, robots that stand, and how their runs are checked and drawn."""
