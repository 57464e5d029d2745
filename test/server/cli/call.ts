/** Calls the command line in this process, with a tiny ruleset in a temporary folder. */
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { main } from '../../../server/cli/main.js'

export interface CallResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CallOptions {
  /** Chunks of standard input. */
  readonly stdin?: string | Buffer | Iterable<string | Buffer>
  readonly env?: Readonly<Record<string, string>>
  readonly isTTY?: boolean
  readonly stdout?: Writable
  readonly clock?: () => number
}

export async function call(argv: readonly string[], { stdin = '', env = {}, isTTY = false, stdout, clock = () => 0 }: CallOptions = {}): Promise<CallResult> {
  const out = new Collected()
  const err = new Collected()
  const input = Readable.from(piecesOf(typeof stdin === 'string' || Buffer.isBuffer(stdin) ? [stdin] : stdin))
  const code = await main(argv, { stdin: input, stdout: stdout ?? out, stderr: err, env, home: process.cwd(), clock, isTTY: { stdin: isTTY, stdout: isTTY, stderr: isTTY } })
  // Output that is pending when a process ends is still written.
  await Promise.all([out, err].map((stream) => new Promise<void>((resolve) => stream.end(resolve))))
  return { code, stdout: out.text, stderr: err.text }
}

/** As `call`, with the output in a file, whose bytes need not be text. */
export async function callInto(file: string, argv: readonly string[], options: CallOptions = {}): Promise<CallResult> {
  const stdout = createWriteStream(file)
  const result = await call(argv, { ...options, stdout })
  await new Promise<void>((resolve) => stdout.end(resolve))
  return result
}

function* piecesOf(pieces: Iterable<string | Buffer>): Generator<Buffer> {
  for (const piece of pieces) if (piece.length > 0) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}

/** Collects output. Accepts only a little at once, so that back-pressure is tested. */
class Collected extends Writable {
  text = ''

  constructor() {
    super({ highWaterMark: 256, decodeStrings: false })
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString()
    setImmediate(done)
  }
}

/** The environment of `git` for a repository in a folder, whatever the settings of the machine are. */
export function gitEnvironment(folder: string): Readonly<Record<string, string>> {
  const who = { GIT_AUTHOR_NAME: 'Ana', GIT_AUTHOR_EMAIL: 'ana@example.com', GIT_COMMITTER_NAME: 'Ana', GIT_COMMITTER_EMAIL: 'ana@example.com' }
  return { PATH: process.env.PATH ?? '', GIT_DIR: join(folder, '.git'), GIT_WORK_TREE: folder, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', ...who }
}

/** A reader that closes after the given number of bytes. */
export function leavingReader(bytes: number): Writable {
  let taken = 0
  const pipe = new PassThrough({ highWaterMark: 1024 })
  pipe.on('data', (chunk: Buffer) => {
    taken += chunk.length
    if (taken >= bytes) pipe.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  })
  return pipe
}

/** A temporary folder for one test file; `remove` deletes it. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'detection-content-cli-'))

  /** @returns the path */
  write(name: string, content: string | Buffer): string {
    const path = join(this.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }

  /** The ruleset of the tests, for `--ruleset`. */
  ruleset(): string {
    this.write('base/decoders/0010-base.xml', DECODERS)
    this.write('base/rules/0010-base.xml', RULES)
    return join(this.folder, 'base')
  }

  /** A folder without files. */
  empty(): string {
    const path = join(this.folder, 'empty')
    mkdirSync(path, { recursive: true })
    return path
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const DECODERS = `<decoder name="door">
  <program_name>^door</program_name>
</decoder>

<decoder name="door-opened">
  <parent>door</parent>
  <prematch>^opened </prematch>
  <regex offset="after_prematch">by (\\S+) from (\\S+)</regex>
  <order>srcuser, srcip</order>
</decoder>

<decoder name="json">
  <prematch>^{\\s*"</prematch>
  <plugin_decoder>JSON_Decoder</plugin_decoder>
</decoder>
`

const RULES = `<group name="syslog,">
  <rule id="1" level="0" noalert="1">
    <category>syslog</category>
    <description>Template.</description>
  </rule>
</group>

<group name="doors,">
  <rule id="900" level="0">
    <decoded_as>door</decoded_as>
    <description>Door events.</description>
  </rule>

  <rule id="901" level="7">
    <if_sid>900</if_sid>
    <match>^opened </match>
    <description>Door opened by $(srcuser).</description>
    <mitre>
      <id>T1078</id>
    </mitre>
    <group>entry,pci_dss_9.1,</group>
  </rule>

  <rule id="902" level="12" frequency="3" timeframe="60">
    <if_matched_sid>901</if_matched_sid>
    <same_srcip />
    <description>Door opened often from $(srcip).</description>
  </rule>

  <rule id="903" level="2">
    <if_sid>900</if_sid>
    <match>^closed</match>
    <description>Door closed.</description>
  </rule>
</group>
`

const written = (id: number, options: string, level: number): string =>
  `  <rule id="${id}" level="${level}">\n    ${options}\n    <description>Rule ${id}.</description>\n  </rule>\n`

/** 100001 matches opened doors. Wazuh drops 100002, whose parent is missing, and the second 100001. */
export const LOSING = `<group name="mine,">
${written(100001, '<if_sid>901</if_sid>', 9)}${written(100002, '<if_sid>4711</if_sid>', 9)}${written(100001, '<if_sid>903</if_sid>', 9)}</group>
`

export const OPENED = 'Mar 10 08:15:30 hall door[7]: opened by ana from 192.0.2.1'
export const CLOSED = 'Mar 10 08:15:31 hall door[7]: closed'
