"""The chapter on non-persistent messages: its campaign, measured in two places."""
