"""Forms of the lines that JMSPerfHarness prints."""

from __future__ import annotations

import re

WRAP = 2.0**32
HALF = 2.0**31
VALUE = r"[-+\u2212\u200e\u200f\u061c]{0,3}[\w.,\u066b∞\ufffd]+?"
BEGIN = (
    rf"^(?:id=(?P<id>[^,]{{1,80}}),)?(?:memory=(?P<memory>{VALUE}),)?"
    r"(?: \((?P<each>(?:[^()]|\(micros\))*+)\) )?"
)
BASIC = re.compile(
    rf"{BEGIN}rate=(?P<rate>{VALUE}),total messages=(?P<messages>-?\d{{1,15}}),"
    r"Snapshot period=(?P<period>-?\d{1,15}),threads=(?P<threads>\d{1,15})$"
)
ROLLING = re.compile(rf"{BEGIN}rateR=(?P<rate>{VALUE}),threads=(?P<threads>\d{{1,15}})$")
RESPONSE = re.compile(
    rf"{BEGIN}tps=(?P<rate>{VALUE}),avgResponse\(micros\)(?:=(?P<response>-?\d{{1,20}}))?,"
    r"threads=(?P<threads>\d{1,15})$"
)
STAMP = r"^(?P<date>\d{4}/\d\d/\d\d),(?P<clock>\d\d:\d\d:\d\d),"
FILE = re.compile(
    r"^(?:id=(?P<id>[^,]{1,80}),)?"
    + STAMP[1:]
    + rf"Threads,(?P<threads>\d{{1,9}}),MsgRate,(?P<rate>{VALUE})"
    r"(?P<each>(?:,IndThreads(?:,-?\d{1,12})*)?)$"
)
FILE_SUMMARY = re.compile(
    STAMP + r"(?P<target>[^,]{0,256}),MsgSize,(?P<size>[^,]{0,12}),Threads,(?P<threads>\d{1,9}),"
    rf"MsgRate,(?P<rate>{VALUE}),Iterations,(?P<iterations>\d{{1,20}}),"
    rf"AvgDuration,(?P<duration>{VALUE}),Tx,(?P<tx>true|false),"
    r"Persistent,(?P<persistent>true|false),UseCorrId,(?P<correlation>true|false)$"
)
SUMMARY = re.compile(
    rf"^totalIterations=(\d{{1,20}}),avgDuration=({VALUE}),(totalRate|maxrateR)=({VALUE})$"
)
EACH = re.compile(r"^Total msgs per thread\s+\d+(?: , \d+)*$")
TABLE_ROW = re.compile(
    r"^ *(?P<thread>\d{1,9}) +(?P<iterations>-?\d{1,20}) +(?P<duration>[\d.,]{1,20}) +"
    rf"(?P<rate>{VALUE})\| *(?P<avg>-?\d{{1,20}}) +(?P<min>N/A|-?\d{{1,20}}) +"
    rf"(?P<max>N/A|-?\d{{1,20}}) +(?P<sd>{VALUE})\|$"
)
OVERALL = re.compile(
    rf"^ *OVERALL: +(?P<iterations>\d{{1,20}}) +(?P<duration>{VALUE}) +(?P<rate>{VALUE})\| *"
    r"(?P<avg>-?\d{1,20}) +(?P<min>-?\d{1,20}) +(?P<max>-?\d{1,20}) +---$"
)
RULER = re.compile(
    r"^(?:={10,}|-{20,}\|-{20,}\||[ ]+\|[ ]+ResponseTimes[ ]+\||"
    r" *Thread Number +Iterations .*|\s*)$"
)
THREAD = re.compile(r"^(?:\^C)?(?P<name>[A-Za-z]\w{0,60}\d+|main|[A-Z]\w{0,60}): (?P<says>.*)$")
CONTROL_START = re.compile(r"^ControlThread\d*$")
OTHER = re.compile(
    r"^(?:Collecting message rate data from beginning of run|"
    r"Warmup period ended; Message rate data collection starts|"
    r"PerfHarness command processor is monitoring .*|unsupported)$"
)
THROWN = re.compile(r"^(?:Caused by: )?(?:[a-z][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error)\b.*$")
TRACE = re.compile(r"^\s+(?:at [\w$.<>/]+\(.*\)|\.\.\. \d+ (?:more|common frames omitted)).*$")
NONE_SEEN = 999999999
