"""What the chapter on MQSeries and MSMQ needs of its own."""
