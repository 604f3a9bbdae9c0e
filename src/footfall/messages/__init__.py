"""Messages between threads, processes and machines: signals, channels in shared memory, sockets, logs of streams."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.messages.channel import Channel as Channel
    from footfall.messages.connection import Connection as Connection
    from footfall.messages.connection import LinkOptions as LinkOptions
    from footfall.messages.connection import connect as connect
    from footfall.messages.frames import Message as Message
    from footfall.messages.listener import Listener as Listener
    from footfall.messages.signals import Signal as Signal
    from footfall.messages.signals import SignalBroker as SignalBroker
    from footfall.messages.signals import join_signals as join_signals
    from footfall.messages.signals import share_signals as share_signals
    from footfall.messages.stream_log import StreamLog as StreamLog
    from footfall.messages.stream_log import read_log as read_log

open_to_users(__name__)
