"""The interface between vision and control: two containers, over TCP or from recordings, with clocks and worlds
aligned."""
