/** The kernel decides the same as WebAssembly and as JavaScript, and its module is that of the sources. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { packLiteral } from '../../../engine/expressions/literal.js'
import { PATTERN_LIMIT } from '../../../engine/expressions/expression.js'
import { CLASS_BIT } from '../../../engine/expressions/osregex/classes.js'
import { packPattern } from '../../../engine/expressions/osregex/pack.js'
import { parseOsRegex } from '../../../engine/expressions/osregex/parse.js'
import { PrefilterScanner, PrefilterTable } from '../../../engine/expressions/prefilter-table.js'
import { COMPILED, PLAIN } from '../../../engine/kernel/kernel.js'
import { addressOf } from '../../../engine/kernel/last-bytes.js'
import { FOUND_MARKS, HEAP, MARKS, MET, NAME_BYTES, NAMES, NO_MATCH, RECEIVED_LENGTH, SCAN_NUMBER, SLOT_BITS, SLOTS } from '../../../engine/kernel/layout.js'
import { BYTES, packWords, take, WORDS } from '../../../engine/kernel/memory.js'
import { ALWAYS, CONTAINS, ENDS, EQUALS, STARTS } from '../../../engine/kernel/osmatch.js'
import { ANY_BYTE, NO_SPACE } from '../../../engine/kernel/osregex.js'
import { SOURCES, WASM } from '../../../engine/kernel/wasm.js'

assert(COMPILED !== null, 'Node has WebAssembly')
const KERNELS = [PLAIN, COMPILED]

/** Lengths around those at which the functions change over to another step. */
const length = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 127, 128, 129), fc.integer({ min: 200, max: 600 }))
const bytes = (...of: string[]) => fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 40 }).map((all) => all.join(''))
const text = fc
  .tuple(length, bytes('a', 'b', 'A', 'Z', '[', ' ', '=', '(', '"', '1', '\0', '\x80', '\xff'))
  .map(([size, part]) => part.repeat(Math.ceil(size / part.length)).slice(0, size))

test('folds the same bytes, at any address', () => {
  const all = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
  const target = take(4096).address
  fc.assert(
    fc.property(text, fc.nat(15), (one, shift) => {
      const source = one + all
      const from = addressOf(source)
      const expected = source.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
      for (const { fold } of KERNELS) {
        BYTES.fill(0, target, target + 2048)
        fold(from, target + shift, source.length)
        assert.equal(Buffer.from(BYTES.subarray(target + shift, target + shift + source.length)).toString('latin1'), expected)
      }
    }),
    { numRuns: 500 },
  )
})

test('finds literals at the same offsets', () => {
  fc.assert(
    fc.property(
      text,
      fc.oneof(bytes('a', 'b', '=', '\xff'), fc.constantFrom('ab', 'a', '\0', 'needle')),
      fc.nat(70),
      fc.nat(600),
      fc.boolean(),
      (one, literal, from, place, inside) => {
        const subject = inside ? one.slice(0, place) + literal + one.slice(place) : one
        const packed = packLiteral(literal)
        for (const isScanned of [0, 1])
          for (const { scan, indexOfLiteral } of KERNELS) {
            scan(addressOf(subject), subject.length)
            assert.equal(indexOfLiteral(packed.address, addressOf(subject), subject.length, from, isScanned), subject.indexOf(literal, from))
          }
      },
    ),
    { numRuns: 3000 },
  )
})

test('a scan meets the same slots, and lists of patterns have the same next one', () => {
  const met = (number: number): number[] => [...BYTES.subarray(MET, MET + (1 << SLOT_BITS)).entries()].filter(([, of]) => of === number).map(([slot]) => slot)
  const table = new PrefilterTable()
  const words = ['abab=', 'aaaaaa', '(((((1', 'ba"b=', 'zz[aa', '\xff\xff\xff\xff\xff']
  const prefilters = [table.intern({ kind: 'contains', values: [words[0], words[1]] }), -1, ...words.map((word) => table.intern({ kind: 'contains', values: [word] }))]
  const { address, size } = new PrefilterScanner(table).listOf([...prefilters.slice(2), prefilters[0], prefilters[1]], [7, 8, 9])
  fc.assert(
    fc.property(text, (one) => {
      const found = KERNELS.map(({ scan, nextOf }) => {
        scan(addressOf(one), one.length)
        return [met(WORDS[SCAN_NUMBER >> 2]), Array.from({ length: size + 1 }, (_, from) => nextOf(address, from))]
      })
      assert.deepEqual(found[1], found[0])
    }),
    { numRuns: 1000 },
  )
})

test('OSRegex has the same end and marks', () => {
  const item = fc.constantFrom(
    'a',
    'b',
    '=',
    '"',
    'aba=',
    '\\t',
    '\\s',
    '\\s*',
    '\\.',
    '\\.+',
    '\\.*',
    '\\w',
    '\\w+',
    '\\S+',
    '\\S*',
    '\\d*',
    '\\p*',
    '\\(',
    '\\(+',
    '(a)',
    '(\\S+)',
    '(\\.*)',
  )
  const alternative = fc
    .tuple(fc.boolean(), fc.array(item, { minLength: 1, maxLength: 7 }), fc.boolean())
    .map(([start, items, end]) => `${start ? '^' : ''}${items.join('')}${end ? '$' : ''}`)
  const first = fc.option(fc.constantFrom('a', '"', ' '), { nil: null })
  let matches = 0
  fc.assert(
    fc.property(fc.array(alternative, { minLength: 1, maxLength: 3 }), text, fc.nat(3), first, fc.nat(1), (alternatives, one, from, byte, isScanned) => {
      const parsed = parseOsRegex(alternatives.join('|'), false)
      assert(parsed.ok)
      const firstBytes = byte === null ? null : new Uint8Array(256).fill(1, byte.charCodeAt(0), byte.charCodeAt(0) + 2)
      const { address } = packPattern(parsed.pattern.alternatives, firstBytes, parsed.pattern.groupCount > 0)
      const found = KERNELS.map(({ scan, searchOsRegex, readsOsRegex }) => {
        scan(addressOf(one), one.length)
        WORDS[FOUND_MARKS >> 2] = 0
        const end = searchOsRegex(address, addressOf(one), one.length, Math.min(from, one.length), isScanned)
        const marks = [...WORDS.subarray(MARKS >> 2, (MARKS >> 2) + WORDS[FOUND_MARKS >> 2])]
        return { end, marks, reads: readsOsRegex(address, addressOf(one), one.length) }
      })
      if (found[0].end > NO_MATCH) matches++
      assert.deepEqual(found[1], found[0])
    }),
    { numRuns: 10_000 },
  )
  assert(matches > 500)
})

test('OSMatch has the same answer', () => {
  const alternatives = fc.array(fc.record({ form: fc.constantFrom(CONTAINS, STARTS, ENDS, EQUALS, ALWAYS), literal: fc.oneof(fc.constant(''), bytes('a', 'b', '=')) }), {
    maxLength: 4,
  })
  const held = ({ form, literal }: { form: number; literal: string }, rest: string): boolean =>
    form === ALWAYS || (form === CONTAINS ? rest.includes(literal) : form === STARTS ? rest.startsWith(literal) : form === ENDS ? rest.endsWith(literal) : rest === literal)
  let matches = 0
  fc.assert(
    fc.property(alternatives, text, fc.nat(3), fc.boolean(), (all, one, from, isWhole) => {
      const forms = all.filter(({ form, literal }) => form !== CONTAINS || literal !== '')
      const start = Math.min(from, one.length)
      // Long texts seldom are one of the literals.
      const literals = forms.map(({ literal }) => (isWhole ? one.slice(start) || 'a' : literal))
      const { address } = packWords([forms.length, ...forms.flatMap(({ form }, i) => [form, packLiteral(literals[i]).address])])
      const expected = forms.some(({ form }, i) => held({ form, literal: literals[i] }, one.slice(start)))
      if (expected) matches++
      for (const { testOsMatch } of KERNELS) assert.equal(Boolean(testOsMatch(address, addressOf(one), one.length, start, 0)), expected)
    }),
    { numRuns: 2000 },
  )
  assert(matches > 200 && matches < 1900)
})

test('a received text has the same parts and number of its program', () => {
  const part = fc.constantFrom(
    'Jan  5 10:11:12 ',
    'M\xc3\xa4r  5 10:11:12 ',
    '2019-01-05T10:11:12.123456+01:00 ',
    'host ',
    'sshd',
    'a-program-of-24-bytes..',
    '[123]',
    ': ',
    '[ID 4] ',
    '\0',
    'x|y:z ',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 7 }), (parts) => {
      const one = parts.join('')
      const found = KERNELS.map(({ receive }) => {
        WORDS.fill(0, RECEIVED_LENGTH >> 2, NAME_BYTES >> 2)
        BYTES.fill(0, NAMES, HEAP)
        const tails = [receive(addressOf(one), one.length), receive(addressOf(one), one.length)]
        return [...tails, ...WORDS.subarray(RECEIVED_LENGTH >> 2, NAME_BYTES >> 2)]
      })
      assert.deepEqual(found[1], found[0])
    }),
    { numRuns: 2000 },
  )
  // Pre-decoding has the names of its own texts only.
  BYTES.fill(0, NAMES, HEAP)
})

test('the memory has room for the marks of the longest pattern, and both sides know the same classes', () => {
  assert.ok(MARKS + 4 * PATTERN_LIMIT <= SLOTS)
  assert.deepEqual(
    [ANY_BYTE, NO_SPACE],
    ['.', 'S'].map((letter) => CLASS_BIT[letter.charCodeAt(0)]),
  )
})

test('the module is that of the sources', async (t) => {
  const { kernelDigest, compileKernel } = (await import(new URL('../../../../.build/kernel.mjs', import.meta.url).href)) as {
    kernelDigest(): string
    compileKernel(): Promise<string>
  }
  assert.equal(kernelDigest(), SOURCES, 'node .build/kernel.mjs')
  const compiled = await compileKernel().catch((error: { code?: string }) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    t.diagnostic('assemblyscript is not installed: the module is not compiled again')
    return WASM
  })
  assert.equal(compiled, WASM)
})

test('without WebAssembly events have the same outcome', () => {
  const script = `
    const { compileRuleset, EventRunner, runReceived } = await import('#engine')
    const { kindsOfEvents } = await import(${JSON.stringify(new URL('../../../bench/engine/kinds.js', import.meta.url).href)})
    const { MOMENT } = await import(${JSON.stringify(new URL('../../../bench/engine/measure.js', import.meta.url).href)})
    void compileRuleset
    const outcomes = kindsOfEvents().map(({ ruleset, events }) => {
      const runner = new EventRunner(ruleset)
      return events.slice(0, 150).map((event) => {
        const outcome = runReceived(runner, event, MOMENT, null)
        return outcome === null ? null : [outcome.rule?.id, outcome.event.decoder?.name, outcome.event.names, outcome.event.values, outcome.event.statics, outcome.description]
      })
    })
    console.log(typeof WebAssembly + (await import('node:crypto')).createHash('sha256').update(JSON.stringify(outcomes)).digest('hex'))`
  const [without, usual] = [['--no-expose-wasm'], []].map((flags) => execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script], { encoding: 'utf8' }).trim())
  assert.ok(without.startsWith('undefined') && usual.startsWith('object'))
  assert.equal(without.slice('undefined'.length), usual.slice('object'.length))
})
