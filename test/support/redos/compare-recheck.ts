/**
 * Holds our search for attacks against `recheck`, which judges regular expressions of JavaScript:
 *
 *     npm install --no-save recheck
 *     npm run build
 *     node dist/test/support/redos/compare-recheck.js [5] engine/reference [RULESET…]
 *
 * A number takes one pattern of so many. Both judge each PCRE2 pattern that JavaScript reads as well. Where only recheck finds an attack, `pcre2test` runs that attack as an event of the longest size: what it
 * takes is printed. Nothing but numbers is printed, so that a ruleset of others may be named; `--own` also names the patterns of `patterns.ts` and their verdicts.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compilePcre2 } from '../../../engine/expressions/pcre2/compile.js'
import { ASKED_EFFORT, searchAttack } from '../../../engine/redos/attack.js'
import { ATTACKED_PATTERNS } from './patterns.js'

/** Milliseconds in which recheck answers, or does not. */
const TIMEOUT_MS = 3_000
/** Bytes of an event at most. */
const EVENT_BYTES = 65_000
/** Calls of our search of one pattern. */
const BUDGET = 100_000_000
const WRITTEN = /<(?:regex|match|field|prematch|program_name|srcip|user|url|id)\b[^<>]*type\s*=\s*["']pcre2["'][^<>]*>((?:[^<]|\\<)*)<\//gs

interface Recheck {
  checkSync: (source: string, flags: string, options: object) => Judgement
}

/** What it says about one pattern. The text of an attack has its pumps repeated. */
interface Judgement {
  readonly status: 'safe' | 'vulnerable' | 'unknown'
  readonly complexity?: { readonly type: string; readonly degree?: number }
  readonly attack?: { readonly pumps: readonly { readonly prefix: string; readonly pump: string }[]; readonly suffix: string }
}

/** The pattern and the flags as JavaScript reads them; null: it does not. */
function inJavaScript(pattern: string): { readonly source: string; readonly flags: string } | null {
  const source = pattern.replace(/^\(\?[is]+\)/, '')
  const flags = [...(/^\(\?([is]+)\)/.exec(pattern)?.[1] ?? '')].join('')
  // These mean something else there.
  if (/\(\?[a-z>+|(]|[+*?}]\+|\\[AzZhHGKQEaeR]|\[\[:|\\[1-9]/i.test(source.replace(/\(\?:/g, '('))) return null
  try {
    return { source: new RegExp(source, flags).source, flags }
  } catch {
    return null
  }
}

function patternsIn(folder: string): string[] {
  return ['rules', 'decoders'].flatMap((kind) =>
    readdirSync(join(folder, kind))
      .filter((name) => name.endsWith('.xml'))
      .flatMap((name) => [...readFileSync(join(folder, kind, name), 'latin1').matchAll(WRITTEN)].map(([, pattern]) => pattern)),
  )
}

/** `exponential`, `polynomial 2`, `safe` or `unknown`. */
function verdictOf({ status, complexity }: Judgement): string {
  return status !== 'vulnerable' ? status : complexity?.type === 'exponential' ? 'exponential' : `polynomial ${complexity?.degree ?? ''}`
}

/** Runs its attack on `pcre2test`, with as many pumps as an event holds. @returns milliseconds, or the error of the library */
function measured(pattern: string, { pumps, suffix }: NonNullable<Judgement['attack']>): string {
  const escaped = (text: string): string => [...text].map((char) => `\\x{${(char.charCodeAt(0) & 0xff).toString(16)}}`).join('')
  const room = EVENT_BYTES - suffix.length - pumps.reduce((sum, { prefix }) => sum + prefix.length, 0)
  const subject = pumps.map(({ prefix, pump }) => `${escaped(prefix)}\\[${escaped(pump)}]{${Math.floor(room / pumps.length / pump.length)}}`).join('')
  const file = join(folder, 'text')
  writeFileSync(file, `/${pattern.replaceAll('/', '\\x2f')}/\n    ${subject}${escaped(suffix)}\\=no_jit\n`)
  const { stdout } = spawnSync('pcre2test', ['-q', '-tm', '1', file], { encoding: 'latin1' })
  const error = /error (-\d+)/.exec(stdout)?.[1]
  const [, time, unit] = /time +([\d.]+) (\w+)/.exec(stdout) ?? []
  return error !== undefined ? `error ${error}` : (Number(time) / (unit === 'microseconds' ? 1000 : unit === 'nanoseconds' ? 1e6 : 1)).toFixed(1)
}

function ours(pattern: string): string {
  const outcome = compilePcre2(pattern)
  if (!outcome.ok) return 'unread'
  const { attack } = searchAttack(outcome.expression.tree, ASKED_EFFORT, { left: BUDGET })
  if (attack === null) return 'safe'
  return `${attack.degree === null ? 'exponential' : `polynomial ${attack.degree + 1}`} ${attack.blind === null ? 'stall' : 'blind'}`
}

const recheck = createRequire(import.meta.url)('recheck') as Recheck
const words = process.argv.slice(2).filter((argument) => argument !== '--own')
const step = Number(words.find((word) => /^\d+$/.test(word)) ?? 1)
const named = words.filter((word) => !/^\d+$/.test(word))
const own = process.argv.includes('--own')
const folder = mkdtempSync(join(tmpdir(), 'compare-recheck-'))
process.on('exit', () => rmSync(folder, { recursive: true }))
for (const patterns of own ? [ATTACKED_PATTERNS] : named.map((folder) => [...new Set(patternsIn(folder))].filter((_, index) => index % step === 0))) {
  const counts = new Map<string, number>()
  /** Milliseconds of PCRE2 for the attacks that only recheck finds. */
  const theirsAlone: string[] = []
  let unread = 0
  for (const pattern of patterns) {
    const translated = inJavaScript(pattern)
    if (translated === null) {
      unread++
      continue
    }
    const judgement = recheck.checkSync(translated.source, translated.flags, { timeout: TIMEOUT_MS })
    const [here, there] = [ours(pattern), verdictOf(judgement)]
    if (here === 'safe' && judgement.attack !== undefined) theirsAlone.push(measured(pattern, judgement.attack))
    const verdicts = `${here} | ${there}`
    if (own) console.log(`${pattern} | ${verdicts}`)
    counts.set(verdicts, (counts.get(verdicts) ?? 0) + 1)
  }
  console.log(`${patterns.length} patterns, ${unread} that JavaScript does not read\n| Patterns | Here | recheck |\n|---|---|---|`)
  for (const [verdicts, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(`| ${count} | ${verdicts} |`)
  if (theirsAlone.length > 0) console.log(`Milliseconds of PCRE2 for the attacks that only recheck finds: ${theirsAlone.join(', ')}`)
}
