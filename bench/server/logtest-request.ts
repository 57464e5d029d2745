/** The logtest of the load benches: an event of sshd, with about 1 KB of inline rules. */

const FILES = [
  {
    filename: 'local_rules.xml',
    kind: 'rules',
    scope: 'adhoc',
    content: `<group name="bench,">\n${Array.from({ length: 6 }, (_, i) => `  <rule id="${100_100 + i}" level="5">\n    <if_sid>5760</if_sid>\n    <match>user${i}</match>\n    <description>Own rule ${i} of $(srcip).</description>\n  </rule>`).join('\n')}\n</group>`,
  },
]
const REQUEST = { files: FILES, input: { event: 'Jan  5 10:11:12 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22 ssh2' } }

/** Bodies of the request by what the answer has. */
export const LOGTEST_BODIES = { 'with its trace': JSON.stringify(REQUEST), 'without its trace': JSON.stringify({ ...REQUEST, trace: false }) } as const
