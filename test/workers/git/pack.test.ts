/** Packs are read as Git writes them, and hostile ones are refused before they take memory or time. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { constants, deflateSync } from 'node:zlib'
import { FILE_BYTES, OBJECT_BYTES, OBJECTS_LIMIT, READ_WORK_BYTES, WORK_BYTES } from '../../../workers/git/limits.js'
import { named, PackTooLargeError } from '../../../workers/git/objects.js'
import { Pack } from '../../../workers/git/pack.js'
import { MalformedGitError } from '../../../workers/git/pkt-line.js'
import { readGit } from '../../../workers/git/read.js'
import { writePack } from '../../../workers/git/write-pack.js'
import { BareRepository, skipWithoutGit } from '../../support/git/git-binary.js'
import { objectId } from '../../support/git/seeds.js'

const BLOB = 3
const OFFSET_DELTA = 6
/** Reads a pack, and opens it as later calls do. */
async function read(bytes: Buffer): Promise<Pack> {
  const shared = new SharedArrayBuffer(bytes.length)
  bytes.copy(new Uint8Array(shared))
  return Pack.open(Pack.read(shared).memory, READ_WORK_BYTES)
}

/** A number as sizes are written: seven bits a byte, the lowest first. */
function sizeBytes(size: number): number[] {
  const bytes = [size % 128]
  for (let rest = Math.floor(size / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] |= 128
    bytes.push(rest % 128)
  }
  return bytes
}

/** Header of an entry, whatever it is the header of. */
function header(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16)
  return Buffer.from([(type << 4) | (size & 15) | (rest > 0 ? 128 : 0), ...(rest > 0 ? sizeBytes(rest) : [])])
}

function distance(bytes: number): Buffer {
  const parts = [bytes & 127]
  for (let rest = bytes >> 7; rest > 0; rest >>= 7) parts.unshift(128 | (--rest & 127))
  return Buffer.from(parts)
}

/** A pack of raw entries, with the right checksum. */
function packOf(entries: readonly Buffer[], count = entries.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(count, 8)
  const content = Buffer.concat([head, ...entries])
  return Buffer.concat([content, createHash('sha1').update(content).digest()])
}

const blob = (bytes: Buffer, declared = bytes.length): Buffer => Buffer.concat([header(BLOB, declared), deflateSync(bytes)])
const delta = (base: number, bytes: Buffer): Buffer => Buffer.concat([header(OFFSET_DELTA, bytes.length), distance(base), deflateSync(bytes)])
/** A delta that copies the first 64 KB of its base that many times. */
const copies = (baseSize: number, times: number, size = times * 65_536): Buffer => Buffer.from([...sizeBytes(baseSize), ...sizeBytes(size), ...Array<number>(times).fill(0x80)])

describe('packs', () => {
  it('are read as they were written', async () => {
    const objects = [named('blob', Buffer.alloc(0)), named('blob', Buffer.from('a')), named('blob', Buffer.alloc(100_000, 'ab')), named('tag', Buffer.from('t'))]
    const pack = await read(await writePack(objects))
    for (const { id, type, bytes } of objects) {
      assert.deepEqual(pack.get(id), { type, bytes })
      assert.equal(pack.describe(id)?.size, bytes.length)
    }
    assert.equal(pack.describe('0'.repeat(40)), undefined)
    assert.throws(() => pack.get('0'.repeat(40)), MalformedGitError)
  })

  it('of Git, with chains of deltas, have the objects that Git says', { skip: skipWithoutGit() }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'packs-'))
    try {
      const repository = BareRepository.create(folder)
      const lines = Array.from({ length: 2_000 }, (_, index) => `<rule id="${index}" level="${index % 15}">${createHash('sha1').update(String(index)).digest('hex')}</rule>`)
      const contents = Array.from({ length: 60 }, (_, index) => lines.with(index * 7, `changed ${index}`).join('\n'))
      await repository.push('main', ...contents.map((content) => ({ files: { 'rules.xml': content } })))
      const all = (await repository.run(['rev-list', '--objects', '--all'])).toString()
      const bytes = await repository.run(['pack-objects', '--stdout', '--delta-base-offset', '--depth=50', '--quiet'], all.replace(/ .*$/gm, ''))
      assert.ok(bytes.length < contents.join('').length / 10, 'there are deltas')
      const pack = await read(bytes)
      for (const content of contents) assert.equal(pack.get(objectId('blob', Buffer.from(content))).bytes.toString(), content)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  const good = packOf([blob(Buffer.from('content'))])
  const malformed: Readonly<Record<string, Buffer>> = {
    'are empty': Buffer.alloc(0),
    'are a text': Buffer.from('<!doctype html><title>Welcome to this server</title>'),
    'have a wrong checksum': Buffer.concat([good.subarray(0, -1), Buffer.from([good.at(-1)! ^ 1])]),
    'are cut': good.subarray(0, -5),
    'have fewer objects than they say': packOf([blob(Buffer.from('a'))], 2),
    'have bytes after the last object': packOf([blob(Buffer.from('a')), Buffer.from('more')], 1),
    'have an object that is larger than it says': packOf([blob(Buffer.alloc(10_000), 10)]),
    'have an object that is smaller than it says': packOf([blob(Buffer.alloc(10), 10_000)]),
    'have an object of no type': packOf([Buffer.concat([header(5, 1), deflateSync(Buffer.from('a'))])]),
    'have an object that is not compressed': packOf([Buffer.concat([header(BLOB, 4), Buffer.from('not!')])]),
    'have a delta of nothing': packOf([delta(5, copies(0, 1))]),
    'have a delta of a later object': packOf([Buffer.concat([header(7, 4), Buffer.alloc(20, 1), deflateSync(Buffer.from([1, 1, 1, 65]))])]),
  }
  for (const [why, bytes] of Object.entries(malformed)) {
    it(`that ${why} are refused`, async () => {
      await assert.rejects(read(bytes), MalformedGitError)
    })
  }

  describe('with deltas', () => {
    const base = blob(Buffer.alloc(65_536, 'x'))
    const wrong: Readonly<Record<string, Buffer>> = {
      'of another base': copies(4, 1),
      'of less than they say': copies(65_536, 1, 65_537),
      'of more than they say': copies(65_536, 2, 65_536),
      'that copy from behind the base': Buffer.from([...sizeBytes(65_536), ...sizeBytes(65_536), 0x81, 1]),
      'that insert what is not there': Buffer.from([...sizeBytes(65_536), ...sizeBytes(100), 100, 1, 2]),
      'that insert nothing': Buffer.from([...sizeBytes(65_536), ...sizeBytes(1), 0]),
      'without sizes': Buffer.alloc(12, 255),
    }
    for (const [why, bytes] of Object.entries(wrong)) {
      it(`${why} are refused`, async () => {
        await assert.rejects(read(packOf([base, delta(base.length, bytes)])), MalformedGitError)
      })
    }

    it('are read when they are right', async () => {
      const pack = await read(packOf([base, delta(base.length, copies(65_536, 3))]))
      assert.equal(pack.get(objectId('blob', Buffer.alloc(3 * 65_536, 'x'))).bytes.length, 3 * 65_536)
    })
  })

  describe('that would take the memory or the time of the process', () => {
    const limitOf = (limit: number) => (error: unknown) => {
      assert.ok(error instanceof PackTooLargeError, `${error}`)
      assert.equal(error.limit, limit)
      return true
    }

    it('by one large object are refused before it is inflated', async () => {
      await assert.rejects(read(packOf([Buffer.concat([header(BLOB, OBJECT_BYTES + 1), deflateSync(Buffer.from('a'))])])), limitOf(OBJECT_BYTES))
      await assert.rejects(read(packOf([Buffer.concat([header(BLOB, 2 ** 52), deflateSync(Buffer.from('a'))])])), limitOf(OBJECT_BYTES))
    })

    it('by a delta that says that it makes a large object are refused before it is made', async () => {
      const base = blob(Buffer.alloc(65_536))
      await assert.rejects(read(packOf([base, delta(base.length, copies(65_536, 1, 2 ** 45))])), limitOf(OBJECT_BYTES))
    })

    it('by many objects that inflate a thousandfold are refused', async () => {
      const zeros = Buffer.concat([header(BLOB, OBJECT_BYTES), deflateSync(Buffer.alloc(OBJECT_BYTES), { level: constants.Z_BEST_COMPRESSION })])
      const bytes = packOf(Array<Buffer>(40).fill(zeros))
      assert.ok(bytes.length < 4 * 1024 * 1024)
      await assert.rejects(read(bytes), limitOf(WORK_BYTES))
    })

    it('by large files, by a chain of deltas too, are read without these', async () => {
      const entries = [blob(Buffer.alloc(65_536))]
      let size = 65_536
      for (let index = 0; index < 2_000; index++) {
        entries.push(delta(entries.at(-1)!.length, copies(size, 512)))
        size = 512 * 65_536
      }
      const bytes = packOf(entries)
      assert.ok(bytes.length < 1024 * 1024)
      const pack = await read(bytes)
      assert.ok(pack.hasSkipped)
      assert.equal(pack.get(objectId('blob', Buffer.alloc(65_536))).bytes.length, 65_536)
      const { memory } = pack
      const reading = { of: 'file', pack: memory, workLimit: READ_WORK_BYTES } as const
      assert.deepEqual(readGit({ ...reading, id: objectId('blob', Buffer.alloc(size)) }), { kind: 'too_large', limit: FILE_BYTES })
    })

    it('by objects that are inflated again for each file are refused', async () => {
      const content = Buffer.alloc(100_000)
      const { memory } = await read(packOf([blob(content)]))
      const id = objectId('blob', content)
      assert.throws(() => Pack.open(memory, 99_999).get(id), limitOf(READ_WORK_BYTES))
      assert.deepEqual(readGit({ of: 'file', id, pack: memory, workLimit: 99_999 }), { kind: 'too_large', limit: READ_WORK_BYTES })
      const found = readGit({ of: 'file', id, pack: memory, workLimit: 100_000 })
      assert.deepEqual(found, { kind: 'file', bytes: new Uint8Array(content), work: 100_000 })
    })

    it('by the number of objects are refused before they are read', async () => {
      await assert.rejects(read(packOf([], OBJECTS_LIMIT + 1)), limitOf(OBJECTS_LIMIT))
    })

    it('by empty blocks, which make nothing, are refused', async () => {
      const stream = deflateSync(Buffer.alloc(0))
      const blocks = Buffer.concat([stream.subarray(0, 2), ...Array<Buffer>(10_000).fill(Buffer.from([0, 0, 0, 255, 255])), stream.subarray(2)])
      await assert.rejects(read(packOf([Buffer.concat([header(BLOB, 0), blocks])])), MalformedGitError)
    })

    it('by a delta that copies byte by byte are refused', async () => {
      const times = 4_000_000
      const base = blob(Buffer.alloc(65_536))
      const bytes = Buffer.concat([Buffer.from([...sizeBytes(65_536), ...sizeBytes(times)]), Buffer.alloc(2 * times, Buffer.from([0x90, 1]))])
      await assert.rejects(read(packOf([base, delta(base.length, bytes)])), limitOf(WORK_BYTES))
    })
  })
})
