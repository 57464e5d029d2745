/** Events as their sources write them, for the samples of templates. Addresses and names are those that documentation may use (RFC 5737, RFC 2606). */
import type { TimedEvent } from './template.js'

type Members = Readonly<Record<string, unknown>>

/** A line of syslog. */
export function syslog(program: string, message: string, host = 'web1'): string {
  return `Jan  5 10:11:12 ${host} ${program}: ${message}`
}

/** One JSON object. */
export function json(members: Members): string {
  return JSON.stringify(members)
}

/** Events of one kind, so many seconds apart. */
export function series(count: number, secondsApart: number, event: (index: number) => string, from = 0): TimedEvent[] {
  return Array.from({ length: count }, (_, index) => ({ text: event(index), at: from + index * secondsApart }))
}

/** An event at a time of the day that follows Wednesday, 12:00. */
export function at(hours: number, text: string): TimedEvent {
  return { text, at: Math.round(hours * 3600) }
}

/** An event of a Windows channel as the agent sends it: backslashes of its data are doubled. */
function windows(channel: string, provider: string, severity: string, id: string, data: Readonly<Record<string, string>>, computer: string): string {
  const eventdata = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, value.replaceAll('\\', '\\\\')]))
  const system = { providerName: provider, eventID: id, version: '0', level: '0', channel, computer, severityValue: severity, message: '"event"' }
  return json({ win: { system, eventdata } })
}

/** Of the security log: an audited success. */
export function security(id: string, data: Readonly<Record<string, string>>, computer = 'srv1.example.com'): string {
  return windows('Security', 'Microsoft-Windows-Security-Auditing', 'AUDIT_SUCCESS', id, data, computer)
}

export function sysmon(id: string, data: Readonly<Record<string, string>>, computer = 'pc1.example.com'): string {
  return windows('Microsoft-Windows-Sysmon/Operational', 'Microsoft-Windows-Sysmon', 'INFORMATION', id, data, computer)
}

export function defender(id: string, data: Readonly<Record<string, string>>, computer = 'pc1.example.com'): string {
  return windows('Microsoft-Windows-Windows Defender/Operational', 'Microsoft-Windows-Windows Defender', 'WARNING', id, data, computer)
}

/** A call that CloudTrail recorded. */
export function cloudTrail(members: Members): string {
  const identity = { type: 'IAMUser', userName: 'alice', arn: 'arn:aws:iam::111122223333:user/alice' }
  return json({
    integration: 'aws',
    aws: {
      source: 'cloudtrail',
      eventVersion: '1.08',
      awsRegion: 'eu-west-1',
      sourceIPAddress: '203.0.113.50',
      aws_account_id: '111122223333',
      userIdentity: identity,
      ...members,
    },
  })
}

/** A call to the API server of Kubernetes. */
export function kubernetes(verb: string, objectRef: Members, more: Members = {}): string {
  return json({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: '00000000-0000-0000-0000-000000000001',
    stage: 'ResponseComplete',
    verb,
    sourceIPs: ['203.0.113.50'],
    user: { username: 'alice@example.com' },
    objectRef,
    responseStatus: { code: 200 },
    ...more,
  })
}

/** An alert of Suricata. */
export function suricataAlert(source: string, target: string, alert: Members): string {
  return json({
    timestamp: '2026-01-05T10:11:12.412345+0000',
    flow_id: 1234567890123,
    event_type: 'alert',
    src_ip: source,
    src_port: 51234,
    dest_ip: target,
    dest_port: 80,
    proto: 'TCP',
    alert: { action: 'allowed', gid: 1, signature_id: 1000001, rev: 1, signature: 'EXAMPLE POLICY thing', category: 'Misc activity', severity: 3, ...alert },
  })
}

/** A line of a web server's access log. */
export function request(address: string, method: string, url: string, status: number): string {
  return `${address} - - [05/Jan/2026:10:11:12 +0000] "${method} ${url} HTTP/1.1" ${status} 512 "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"`
}

/** A call that auditd recorded: a program reaches a file that is watched under a key, or runs a command. */
export function audit(key: string, exe: string, file: string, type: 'NORMAL' | 'CREATE' | 'DELETE' = 'NORMAL', uid = 0): string {
  const ids = `auid=1000 uid=${uid} gid=0 euid=${uid} suid=0 fsuid=0 egid=0 sgid=0 fsgid=0 tty=pts0 ses=3`
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  return [
    'type=SYSCALL msg=audit(1767607872.123:42): arch=c000003e syscall=257 success=yes exit=3 a0=ffffff9c a1=7ffd a2=241 a3=1b6 items=2 ppid=411 pid=4411',
    `${ids} comm="${exe.slice(exe.lastIndexOf('/') + 1)}" exe="${exe}" key="${key}" type=CWD msg=audit(1767607872.123:42):  cwd="/"`,
    `type=PATH msg=audit(1767607872.123:42): item=0 name="${folder}" inode=131073 dev=08:01 mode=040755 ouid=0 ogid=0 rdev=00:00 nametype=PARENT`,
    `type=PATH msg=audit(1767607872.123:42): item=1 name="${file}" inode=131080 dev=08:01 mode=0100644 ouid=0 ogid=0 rdev=00:00 nametype=${type}`,
  ].join(' ')
}

/** A command line that auditd recorded. */
export function auditCommand(exe: string, ...args: readonly string[]): string {
  const words = args.map((word, index) => `a${index}="${word}"`).join(' ')
  return [
    'type=SYSCALL msg=audit(1767607872.123:42): arch=c000003e syscall=59 success=yes exit=0 a0=5581 a1=5582 a2=5583 a3=8 items=2 ppid=411 pid=4411 auid=1000 uid=1000 gid=1000',
    `euid=1000 suid=1000 fsuid=1000 egid=1000 sgid=1000 fsgid=1000 tty=pts0 ses=3 comm="${exe.slice(exe.lastIndexOf('/') + 1)}" exe="${exe}" key="audit-wazuh-c"`,
    `type=EXECVE msg=audit(1767607872.123:42): argc=${args.length} ${words}`,
  ].join(' ')
}
