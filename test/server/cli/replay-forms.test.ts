/** Forms that `replay` reads and writes: compressed files, Parquet and samples. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { parquetReadObjects } from 'hyparquet'
import { ALERT_COLUMNS } from '#engine'
import { admits, createSmallest, hashOf, inHashOrder, keep, seedOf, type Smallest } from '../../../server/cli/replay/smallest.js'
import { decompressed } from '../../../server/cli/replay/zstd.js'
import { OPENED } from './call.js'
import { alertsIn, alertsOf, madeLines, OWN_RULES, ReplayWorkplace, summaryIn } from './replay-call.js'

const place = new ReplayWorkplace()
const RULESET = ['--ruleset', place.ruleset(), '--custom', place.write('own/rules/own_rules.xml', OWN_RULES)]
const MADE_FILE = place.write('made.log', `${madeLines().join('\n')}\n`)
/** Made by the program `zstd`: two frames, the first of them with its checksum. */
const FRAMES = Buffer.concat([rawFrame(Buffer.from(`${OPENED}\n`)), rleFrame(0x0a, 3, 100), rawFrame(Buffer.from(`${OPENED}\n`))])

/** A frame of one block that is not compressed. */
function rawFrame(content: Buffer): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])
  return Buffer.concat([header, blockHeader(1, 0, content.length), content])
}

/** A frame of blocks that repeat a byte. */
function rleFrame(byte: number, blocks: number, size: number, windowByte = 0x58): Buffer {
  const parts = Array.from({ length: blocks }, (_, index) => Buffer.concat([blockHeader(index === blocks - 1 ? 1 : 0, 1, size), Buffer.from([byte])]))
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, windowByte]), ...parts])
}

function blockHeader(isLast: 0 | 1, type: 0 | 1, size: number): Buffer {
  const value = isLast | (type << 1) | (size << 3)
  return Buffer.from([value & 0xff, (value >> 8) & 0xff, value >> 16])
}

async function collect(bytes: Buffer, piece: number): Promise<Buffer> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) => bytes.subarray(index * piece, (index + 1) * piece))
  const out: Buffer[] = []
  for await (const part of decompressed(Readable.from(pieces))) out.push(part)
  return Buffer.concat(out)
}

describe('forms of replay', () => {
  after(() => place.remove())

  it('reads Zstandard, of several frames and however it is cut', async () => {
    const expected = `${OPENED}\n${'\n'.repeat(300)}${OPENED}\n`
    for (const piece of [1, 7, 100, 5000]) assert.equal((await collect(FRAMES, piece)).toString(), expected)
    const file = place.write('two.log.zst', FRAMES)
    const { code, folder } = await place.replay([file, ...RULESET, '--select', 'line'])
    assert.deepEqual([code, alertsIn(folder)], [0, '{"line":1}\n{"line":302}\n'])
    try {
      execFileSync('zstd', ['-q', '-f', MADE_FILE, '-o', join(place.folder, 'made.log.zst')])
    } catch {
      console.log('the program zstd is not installed: its own files are not read here')
      return
    }
    const whole = await place.replay([MADE_FILE, ...RULESET, '--select', 'line,rule.id'])
    const packed = await place.replay([join(place.folder, 'made.log.zst'), ...RULESET, '--select', 'line,rule.id'])
    assert.equal(alertsIn(packed.folder), alertsIn(whole.folder))
    const bytes = readFileSync(join(place.folder, 'made.log.zst'))
    place.write('cut.log.zst', bytes.subarray(0, bytes.length - 1000))
    const cut = await place.replay([join(place.folder, 'cut.log.zst'), ...RULESET])
    assert.deepEqual([cut.code, summaryIn(cut.folder).incomplete_sources.length], [1, 1])
  })

  for (const [ending, program] of [
    ['.bz2', 'bzip2'],
    ['.xz', 'xz'],
  ] as const)
    it(`reads ${ending} by the program ${program}, and refuses it without`, async (t) => {
      const file = join(place.folder, `made.log${ending}`)
      const made = spawnSync(program, ['-c'], { input: readFileSync(MADE_FILE), maxBuffer: 64 * 1024 * 1024 })
      if (made.status !== 0) return t.skip(`the program ${program} is not installed`)
      writeFileSync(file, made.stdout)
      const select = [...RULESET, '--select', 'line,rule.id']
      const [whole, packed] = [await place.replay([MADE_FILE, ...select]), await place.replay([file, ...select])]
      assert.deepEqual([packed.code, alertsIn(packed.folder)], [0, alertsIn(whole.folder)])
      for (const [name, bytes] of [
        [`cut.log${ending}`, made.stdout.subarray(0, -100)],
        [`no.log${ending}`, Buffer.from(`this is not ${program} at all`)],
      ] as const) {
        const { code, folder } = await place.replay([place.write(name, bytes), ...RULESET])
        assert.deepEqual([code, summaryIn(folder).incomplete_sources.map(({ reason }) => reason)], [1, ['Z_DATA_ERROR']])
      }
      const { PATH } = process.env
      process.env.PATH = ''
      try {
        const { code, stderr } = await place.replay([file, ...RULESET])
        assert.deepEqual([code, stderr.includes(`${file} cannot be read here: ${ending}.`)], [2, true], stderr)
      } finally {
        process.env.PATH = PATH
      }
    })

  it('bounds what Zstandard decompresses to, and refuses what would take too much memory', async () => {
    // 16 KB that are 512 MB.
    const bomb = rleFrame(0x78, 4096, 131_072)
    let most = 0
    let size = 0
    for await (const part of decompressed(Readable.from([bomb]))) {
      most = Math.max(most, part.length)
      size += part.length
    }
    assert.equal(size, 4096 * 131_072)
    assert.ok(most <= 64 * 1024 * 1024, String(most))
    await assert.rejects(collect(rleFrame(0x78, 1, 5, 0xa0), 100), { code: 'Z_MEM_ERROR' })
    await assert.rejects(collect(Buffer.from('this is not Zstandard at all'), 100), { code: 'Z_DATA_ERROR' })
    await assert.rejects(collect(FRAMES.subarray(0, FRAMES.length - 5), 100), { code: 'Z_BUF_ERROR' })
    const { code, folder } = await place.replay([place.write('no.log.zst', 'this is not Zstandard at all'), ...RULESET])
    assert.deepEqual([code, summaryIn(folder).incomplete_sources.map(({ reason }) => reason.startsWith('Z') || reason.startsWith('ZSTD'))], [1, [true]])
  })

  it('writes alerts as Parquet, with the values of the lines of JSON', async () => {
    const json = await place.replay([MADE_FILE, ...RULESET])
    const { code, folder } = await place.replay([MADE_FILE, ...RULESET, '--format', 'parquet'])
    assert.equal(code, 0)
    const bytes = readFileSync(join(folder, 'alerts.parquet'))
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const rows = await parquetReadObjects({ file })
    const expected = alertsOf(json.folder).map((alert) =>
      Object.fromEntries(
        ALERT_COLUMNS.map((name) => {
          const [head, member] = name.split('.')
          const value = member === undefined ? alert[name] : (alert[head] as Record<string, unknown>)[member]
          if (name === 'time') return [name, new Date(String(value))]
          return [name, typeof value === 'number' ? BigInt(value) : value]
        }),
      ),
    )
    assert.equal(rows.length, expected.length)
    assert.deepEqual(rows.slice(0, 500), expected.slice(0, 500))
    assert.deepEqual(rows[rows.length - 1], expected[expected.length - 1])
    const chosen = await place.replay([MADE_FILE, ...RULESET, '--format', 'parquet', '--select', 'rule.id,level,srcip,level', '--sample', '2'])
    const some = readFileSync(join(chosen.folder, 'alerts.parquet'))
    const few = await parquetReadObjects({ file: some.buffer.slice(some.byteOffset, some.byteOffset + some.length) })
    assert.deepEqual(Object.keys(few[0]), ['rule.id', 'level', 'srcip'])
    assert.equal(
      few.length,
      summaryIn(chosen.folder).rules.reduce((sum, { alerts }) => sum + Math.min(2, alerts), 0),
    )
  })

  it('writes a Parquet file without rows', async () => {
    const { folder } = await place.replay([place.write('none.log', 'nothing\n'), '--ruleset', join(place.folder, 'base'), '--format', 'parquet'])
    const bytes = readFileSync(join(folder, 'alerts.parquet'))
    assert.deepEqual(await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) }), [])
  })

  it('keeps the same sample in any order, and of parts together', () => {
    const items = Array.from({ length: 5000 }, (_, line) => ({ hash: hashOf(seedOf(`source ${line % 3}`), line), line }))
    assert.equal(new Set(items.map(({ hash }) => hash)).size, items.length)
    const expected = [...items].sort((a, b) => a.hash - b.hash).slice(0, 40)
    const sampleOf = (given: typeof items): readonly (typeof items)[number][] => {
      const sample: Smallest<(typeof items)[number]> = createSmallest()
      for (const item of given) if (admits(sample, 40, item.hash)) keep(sample, 40, item.hash, item)
      return inHashOrder(sample)
    }
    assert.deepEqual(sampleOf(items), expected)
    assert.deepEqual(sampleOf([...items].reverse()), expected)
    assert.deepEqual(sampleOf([...sampleOf(items.slice(2000)), ...sampleOf(items.slice(0, 2000))]), expected)
    // They are of all parts of the input.
    assert.ok(expected.some(({ line }) => line > 4000) && expected.some(({ line }) => line < 1000))
  })
})
