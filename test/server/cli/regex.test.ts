import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { call } from './call.js'

describe('regex', () => {
  it('reports where a pattern matched, and its captures', async () => {
    const { code, stdout } = await call(['regex', 'by (\\w+) from', 'opened by ana from 192.0.2.1', 'closed'])
    assert.equal(code, 0)
    const lines = stdout.split('\n')
    assert.equal(lines[0], 'matches  bytes 7-18')
    assert.equal(lines[2], `  ${' '.repeat(7)}${'^'.repeat(11)}`)
    assert.match(lines[3], /1 {2}ana {2}bytes 10-13/)
    assert.match(stdout, /no match\n {2}closed/)
  })

  it('marks captured text after the end that Wazuh reports, and names the byte at which a following offset starts', async () => {
    const { stdout } = await call(['regex', 'by (\\w+) from (\\S+)', 'opened by ana from 192.0.2.1'])
    const lines = stdout.split('\n')
    assert.equal(lines[0], 'matches  bytes 7-28 · a following offset starts at byte 20')
    assert.equal(lines[2], `  ${' '.repeat(7)}${'^'.repeat(21)}`)
  })

  it('reports the results of other dialects if they differ', async () => {
    const { code, stdout } = await call(['regex', 'a.+b', 'axxb'])
    assert.equal(code, 1)
    assert.match(stdout, /as pcre2 +matches/)
    assert.match(stdout, /Meaning in each dialect/)
    assert.match(stdout, /\.\* \.\+ +a dot, then the sign itself/)
    assert.doesNotMatch((await call(['regex', '-e', 'pcre2', 'ab', 'ab'])).stdout, /as os/)
  })

  it('marks the position of an error in a pattern', async () => {
    const { code, stdout } = await call(['regex', '--engine', 'pcre2', 'a(b', 'x'])
    assert.equal(code, 1)
    assert.match(stdout, /error: no pcre2 pattern: missing closing parenthesis\n {2}a\(b\n {5}\^/)
  })

  it('reads inputs from standard input, and prints nothing with --quiet', async () => {
    assert.match((await call(['regex', '^\\d+$'], { stdin: '12\nx\n' })).stdout, /matches .*\n {2}12/)
    assert.deepEqual(await call(['regex', '-q', '^\\d+$'], { stdin: '12\nx\n' }), { code: 0, stdout: '', stderr: '' })
    assert.equal((await call(['regex', '-q', '^\\d+$'], { stdin: 'x\n' })).code, 1)
    assert.equal((await call(['regex'])).code, 2)
  })

  it('finds events that stall or blind a pattern', async () => {
    const { code, stdout } = await call(['regex', '--redos', '^(\\w+\\s?)+$', '^error'])
    assert.equal(code, 1)
    assert.match(stdout, /exponential[^\n]*\n +event +"a" \+ "a" × 21 \+ "!"\n +blind +from 23 bytes on/)
    assert.match(stdout, /\^error\n +no event of 65,536 bytes/)
    const lines = await call(['regex', '--redos', '--jsonl', '\\s+$', 'a('])
    const [slow, wrong] = lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepEqual([slow.pattern, slow.compiled, (slow.attack as { pump: string }).pump], ['\\s+$', true, ' '])
    assert.deepEqual([wrong.compiled, wrong.attack], [false, null])
    assert.deepEqual(await call(['regex', '--redos', '-q', '^error']), { code: 0, stdout: '', stderr: '' })
    assert.equal((await call(['regex', '--redos'])).code, 2)
  })

  it('measures what a pattern of OSRegex or OSMatch reads at worst', async () => {
    // A failed attempt begins again behind its first byte; one that reads to the end of the text does not.
    const quadratic = await call(['regex', '--redos', '--engine', 'osregex', 'a\\w*b'])
    assert.match(quadratic.stdout, /the power of 2\n +event +[^\n]+\n +reads +[\d,]{10,} bytes of an event of 65,5\d\d bytes/)
    assert.equal(quadratic.code, 1)
    const { code, stdout } = await call(['regex', '--redos', '--jsonl', '--engine', 'osregex', '^user \\d+', '(('])
    const [linear, wrong] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual([code, linear.worst.degree, linear.worst.reads < 200_000, wrong.compiled], [1, 1, true, false])
    const osmatch = await call(['regex', '--redos', '--jsonl', '--engine', 'osmatch', 'one|two|^three'])
    assert.deepEqual([osmatch.code, JSON.parse(osmatch.stdout).worst.reads], [0, 2 * 65_536])
  })

  it('answers JSON lines', async () => {
    const trials = [
      { engine: 'osregex', pattern: '(\\d+)', input: 'é12', substrings: true, case_sensitive: false },
      { engine: 'osmatch', pattern: '^a|b$', input: 'cab' },
      { engine: 'pcre2', pattern: '(a', input: 'a', substrings: false, case_sensitive: false },
      { engine: 'perl', pattern: 'a', input: 'a' },
      { engine: 'pcre2', pattern: '(a)(b)?', input: 'xa', substrings: false },
    ]
    const { code, stdout } = await call(['regex', '--jsonl'], { stdin: trials.map((trial) => JSON.stringify(trial)).join('\n') })
    assert.equal(code, 1)
    const [first, second, third, fourth, fifth] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(first, { compiled: true, matched: true, end: 2, captures: ['12'] })
    assert.deepEqual(second, { compiled: true, matched: true, end: null, captures: [] })
    assert.deepEqual([third.compiled, third.matched, third.end, third.captures], [false, false, null, []])
    assert.equal(typeof third.error.message, 'string')
    assert.equal(fourth.error.code, 'invalid_line')
    assert.deepEqual(fifth, { compiled: true, matched: true, end: 1, captures: ['a'] })
  })
})
