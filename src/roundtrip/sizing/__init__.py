"""What a workload needs: models fitted to the peaks that sources print, with their errors."""
