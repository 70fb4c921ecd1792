"""Forms of the lines that MQ-CPH and runcph_agg.py print."""

from __future__ import annotations

import re

NO_LATENCY = (2.0**63 - 1, 2.0**31 - 1)
WRAP = 2.0**32
VALUE = r"[-+]?[\w.,#∞\ufffd()]+?"
RATE = re.compile(
    rf"^(?:id=(?P<id>[^,]{{1,80}}),)?"
    rf"(?: \((?P<each>[\d \t]*)\) )?rate=(?P<rate>{VALUE}),threads=(?P<threads>\d{{1,15}})"
    rf"(?:,processes=(?P<processes>\d{{1,6}}))?"
    rf"(?:,avg_latency\(uSec\)=(?P<avg>-?\d{{1,20}}),max_latency\(uSec\)=(?P<max>-?\d{{1,20}}),"
    rf"min_latency\(uSec\)=(?P<min>-?\d{{1,20}}))?$"
)
PID = re.compile(r"^pid:(?P<pid>\d{1,10}) ")
SUMMARY = re.compile(rf"^totalIterations=(\d{{1,20}}),totalSeconds=({VALUE}),avgRate=({VALUE})$")
JOB = re.compile(
    rf"^totalJobIterations=(\d{{1,20}}),maxSeconds=({VALUE}),avgJobRate=({VALUE}),"
    rf"avgRatePerProcess=({VALUE})$"
)
LATENCY = re.compile(
    r"^avg_latency\(uSec\)=(-?\d{1,20}),max_latency\(uSec\)=(-?\d{1,20}),"
    r"min_latency\(uSec\)=(-?\d{1,20})$"
)
THREAD = re.compile(r"^(?:\^C)?\[(?P<name>[A-Za-z_]\w{0,60})\]:? (?P<says>.*)$")
START = re.compile(r"^START$")
QUIET = re.compile(
    r"^(?:START|STOP|First session open - entering RUNNING state\.|Session \d+ complete - .*|"
    r"Starting session \d+\.|Generated CorrelID:.*|Using selection string:.*)$"
)
RECONNECTED = re.compile(r"^Time to connect to secondary host is (\d{1,12}) ms(?: \(min:.*)?$")
ALL_BACK = re.compile(r"^All threads reconnected at (\d\d)_(\d\d)_(\d{4}) ([\d:.]{8,12})$")
FAILED = re.compile(r"^(?:MQI call failed|Caught exception)\b.*$")
CALL = re.compile(
    r"^(?P<call>MQ[A-Z0-9]{2,10})(?::| )(?:.*\bmqrc:|.*\bRC=|.*[Rr]eason code[ :=]*|.*Throwing.*"
    r"|.*)(?P<reason>\d{4})?"
)
OTHER = re.compile(
    r"^(?:Shared library \S+ loaded ok|Secondary port number: \d+|controlThread (?:START|STOP)|"
    r"Timer : Runlength expired|Caught shutdown exception\.|cphControlCInvoked.*|"
    r"Shutdown signal detected.*|Thread \[id=\d+\] received a shutdown request\.|"
    r"(?:Setting|Getting|Default|getrlimit|setrlimit|setting stack|Loading|Using) .*|"
    r"---.*|[-=]{8,}|\s*)$"
)
