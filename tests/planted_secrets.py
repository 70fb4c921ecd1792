"""Secrets as logs, scripts and settings carry them, for tests that search every output for them.

`FORMS` are texts with ``{}`` where the secret stands; `planted` gives inputs of every kind with a
different secret in each.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator

_KEYED = (
    "password", "passwd", "Password", "PASSWORD", "pwd", "mq.pwd", "passphrase", "db_password",
    "spring.datasource.password", "javax.net.ssl.keyStorePassword", "ssl.truststore.password",
    "client_secret", "api_key", "apiKey", "access-token", "SharedAccessKey",
    "AccountKey", "KEYRPWD",
    "SSLKEYRPWD", "MQ_APP_PASSWORD", "secretKey", "private_key", "ldap.credential",
)  # fmt: skip
_SIGNS = ("{key}={}", "{key} = {}", "{key}: {}", '"{key}":"{}"', "{key}='{}'", "<{key}>{}</{key}>")
_REST = (
    "runmqakm -cert -list -db k.kdb -storepass {} -type cms", "runmqckm -keydb -target_pw {}",
    "runmqakm -keydb -create -db k.kdb -pw {} -stash", "keytool -keypass {} -list",
    "keytool -importkeystore -srcstorepass {} -deststorepass changeit",
    "DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD('{}') LDAPUSER('cn=mq')",
    "DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) USERID('app') PASSWORD('{}')", "ALTER QMGR KEYRPWD({})",
    "ALTER QMGR SSLKEYRPWD ( '{}' )", "PASSWORD('{} with blanks')", "LDAPPWD(\"{}\")",
    "jdbc:db2://h:50000/db:user=app;pwd={};", "jdbc:sqlserver://h;user=app;password={};encrypt=true",
    "jdbc:oracle:thin:scott/{}@h:1521:orcl", "jdbc:mysql://h/db?user=app&password={}&ssl=1",
    "amqp://app:{}@h:5672/", "amqps://{}@h:5671", "failover:(tcp://app:{}@h:61616)?x=1",
    "https://app:pa/{}@h/x", "https:\\/\\/app:{}@h", "redis://:{}@h:6379",
    "Endpoint=sb://h/;SharedAccessKeyName=Root;SharedAccessKey={}=;EntityPath=q",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}==;EndpointSuffix=x",
    "https://h/c?sv=2020&sig={}%3D&se=2026", "curl -u app:{} https://h", "curl -uapp:{} https://h",
    "curl -k --user app:{} https://h", "curl --user='app:{}' https://h", "curl --proxy-user p:{} h",
    "mysql -uroot -p{} db", "mysqldump -h h -p'{}' db", "mariadb-admin --password={} ping",
    "sshpass -p {} ssh h", "sshpass -p'{}' ssh h", "docker login -u a -p {} h",
    "redis-cli -h h -a {} ping", "ldapsearch -x -D cn=a -w {} -b o=x", "rabbitmqctl add_user a {}",
    "rabbitmqctl change_password a {}", "openssl pkcs12 -in a -passin pass:{}",
    "openssl enc -aes-256-cbc -k {} -in a", "htpasswd -b file app {}",
    "net use z: \\\\h /user:a {}",
    "smbclient -U app%{} //h/s", "sqlplus scott/{}@orcl", "CREATE USER a IDENTIFIED BY '{}'",
    "Authorization: Basic {}=", "Authorization: Bearer {}", "authorization: ApiKey {}",
    '{{"Authorization": "Basic {}=="}}', "Cookie: session={}; other={}",
    "Set-Cookie: SID={}; Secure",
    "X-Api-Key: {}", '<user name="a" password="{}"/>', "<cred user='a' pwd='{}'/>",
    '<property name="mq.password" value="{}"/>', '<property value="{}" name="mq.password"/>',
    "<name>mq.password</name><value>{}</value>",
    "<p:keyStorePassword type='t'>{}</p:keyStorePassword>",
    "<password><![CDATA[{}]]></password>", "&lt;password&gt;{}&lt;/password&gt;",
    '{{"a": {{"password" : "{} and more"}}}}', '"{{\\"password\\":\\"{}\\"}}"',
    '"{{\\"a\\":\\"{{\\\\\\"pwd\\\\\\": \\\\\\"{}\\\\\\"}}\\"}}"', '"pass\\u0077ord":"{}"',
    '{{"name":"MQ_PASSWORD","value":"{}"}}', '{{"value":"{}","name":"MQ_PASSWORD"}}',
    "value=it's{} name=password", f"value={'a' * 350}{{}} name=password",
    "['-pw', '{}', '-ms', '10']", "[-pw, {}, -ms]", "-pw\u00a0{} -ms 10", "\u2013pw {} -ms 10",
    "\u2014\u2014password {}", "password\u00a0=\u00a0{}", "pass\u200bword={}", "password\uff1d{}",
    "\x1b[1mpassword\x1b[0m=\x1b[32m{}\x1b[0m", "password := {}", "password => {}", "password->{}",
    "password%3D{}", "the password is {}", "machine h login a password {}", "requirepass {}",
    "export MQ_PASSWORD={}", "set MQ_PASSWORD={}", "-Dmq.password={}", "--mq-password {}",
    "/opt/cph -tc Requester -us app -pw {} -ms 10", "-pw \"{} -x {}\" -ms 10", "password={},{};{}",
    "password = first {} last", "setPassword(\"{}\")", 'createConnection("app", "{}")',
    "connect password={}\" tail", "AKIA{}ABCDEFGH", "ghp_{}abcdefghijklmnop", "glpat-{}abcdefghijk",
    "eyJhbGciOiJ.{}.abc", "password:\n{}", "  password: |\n    {}", "--password \\\n{}", "-pw\n{}",
    "PASSWORD( +\n'{}')", "- name: MQ_PASSWORD\n  value: {}", "<password>\n{}\n</password>",
    "<name>mq.pwd</name>\n<value>{}</value>", "password =\n\n{}", '"password":\n  "{}"',
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA{}\n{}AbCdEf\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\nMIIEvQ{}\\n-----END PRIVATE KEY-----",
    "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMHcCA{}\n"
    "-----END EC PRIVATE KEY-----",
)  # fmt: skip
FORMS: tuple[str, ...] = (
    *(
        sign.replace("{key}", key)
        for place, key in enumerate(_KEYED)
        for sign in (_SIGNS[place % 6], _SIGNS[(place + 1) % 6], _SIGNS[(place + 3) % 6],
                     _SIGNS[(place + 4) % 6])
    ),
    *(form.replace("{{", "{").replace("}}", "}") for form in _REST),
)  # fmt: skip

_CPH = "rate=100.00,total messages=1000,Snapshot period=10,threads=4\n"
_JMS = "rate=100.00,total messages=1000,Snapshot period=10,threads=4\n"
_VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    " 1  0      0 100000  10000 100000    0    0     1     1  100  100  5  5 90  0  0\n"
)
_AROUND = {
    "unknown.txt": ("", ""),
    "cph.log": ("Starting test with 4 requesters\n" + _CPH * 5, _CPH * 2),
    "jms.log": ("ControlThread1: START\n" + _JMS * 3, _JMS * 3),
    "vmstat.txt": (_VMSTAT, _VMSTAT.splitlines(keepends=True)[-1] * 3),
    "omb.json": ('{"workload": "a", "publishRate": [1.0, 2.0]}\n', ""),
    "perftest.csv": ("id,time (s),published (msg/s)\n", "a,1,2\n"),
}


def secret(kind: str, place: int) -> str:
    """Give the secret of one place: letters and digits that stand nowhere else."""
    return f"Zq{sum(kind.encode()) % 97:02d}{len(kind):02d}xK{place:03d}vT7w"


def planted() -> Iterator[tuple[str, bytes, list[str]]]:
    """Give inputs: name, content, and the secrets planted in it."""
    for kind, (before, after) in _AROUND.items():
        secrets = [secret(kind, place) for place in range(len(FORMS))]
        lines = "\n\nrest\n".join(
            form.replace("{}", value) for form, value in zip(FORMS, secrets, strict=True)
        )
        text = f"{before}{lines}\n{after}"
        yield kind, text.encode(), secrets
        if kind == "unknown.txt":
            yield "utf16.txt", b"\xff\xfe" + text.encode("utf-16-le"), secrets
            yield "dos.log", text.replace("\n", "\r\n").encode(), secrets
        if kind == "cph.log":
            yield "cph.log.gz", gzip.compress(text.encode(), mtime=0), secrets
    for place, inside in enumerate(("password=", "mq.pwd=", "-pw ", "secret_", "app:", "token-")):
        value = secret("name", place)
        name = f"{inside}{value}" + ("@h.log" if inside == "app:" else ".log")
        yield name, _CPH.encode() * 5, [value]
        packed = io.BytesIO()
        value = secret("member", place)
        name = f"run/{inside}{value}" + ("@h/x.log" if inside == "app:" else "/x.log")
        if place % 2:
            with zipfile.ZipFile(packed, "w") as archive:
                archive.writestr(name, _CPH * 5)
        else:
            with tarfile.open(fileobj=packed, mode="w") as tar:
                entry = tarfile.TarInfo(name)
                entry.size = len(_CPH) * 5
                tar.addfile(entry, io.BytesIO(_CPH.encode() * 5))
        yield f"packed{place}" + (".zip" if place % 2 else ".tar"), packed.getvalue(), [value]
