/**
 * Holds our search for attacks against `recheck`, which judges regular expressions of JavaScript:
 *
 *     npm install --no-save recheck
 *     npm run build
 *     node dist/test/support/redos/compare-recheck.js [5] engine/reference [RULESET…]
 *
 * A number takes one pattern of so many. Both judge each PCRE2 pattern that JavaScript reads as well. Nothing but numbers is printed, so that a ruleset of others may be named; `--own` also names the patterns of
 * `patterns.ts` and their verdicts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { compilePcre2 } from '../../../engine/expressions/pcre2/compile.js'
import { ASKED_EFFORT, searchAttack } from '../../../engine/redos/attack.js'
import { ATTACKED_PATTERNS } from './patterns.js'

/** Milliseconds in which recheck answers, or does not. */
const TIMEOUT_MS = 3_000
/** Calls of our search of one pattern. */
const BUDGET = 100_000_000
const WRITTEN = /<(?:regex|match|field|prematch|program_name|srcip|user|url|id)\b[^<>]*type\s*=\s*["']pcre2["'][^<>]*>((?:[^<]|\\<)*)<\//gs

interface Recheck {
  checkSync: (
    source: string,
    flags: string,
    options: object,
  ) => { readonly status: 'safe' | 'vulnerable' | 'unknown'; readonly complexity?: { readonly type: string; readonly degree?: number } }
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
function theirs(recheck: Recheck, { source, flags }: { readonly source: string; readonly flags: string }): string {
  const { status, complexity } = recheck.checkSync(source, flags, { timeout: TIMEOUT_MS })
  return status !== 'vulnerable' ? status : complexity?.type === 'exponential' ? 'exponential' : `polynomial ${complexity?.degree ?? ''}`
}

/** A degree of recheck counts all start positions, and ours those of one. */
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
for (const patterns of own ? [ATTACKED_PATTERNS] : named.map((folder) => [...new Set(patternsIn(folder))].filter((_, index) => index % step === 0))) {
  const counts = new Map<string, number>()
  let unread = 0
  for (const pattern of patterns) {
    const translated = inJavaScript(pattern)
    if (translated === null) {
      unread++
      continue
    }
    const verdicts = `${ours(pattern)} | ${theirs(recheck, translated)}`
    if (own) console.log(`${pattern} | ${verdicts}`)
    counts.set(verdicts, (counts.get(verdicts) ?? 0) + 1)
  }
  console.log(`${patterns.length} patterns, ${unread} that JavaScript does not read\n| Patterns | Here | recheck |\n|---|---|---|`)
  for (const [verdicts, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(`| ${count} | ${verdicts} |`)
}
