/**
 * Prints what `pcre2test` does with the events that are predicted to blind or stall patterns, as a table for README: `node dist/test/support/redos/measure-pcre2.js`.
 * It takes two minutes of processor time, and needs the Debian package `pcre2-utils`.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compilePcre2 } from '../../../engine/expressions/pcre2/compile.js'
import { type Attack, findAttack } from '../../../engine/redos/attack.js'
import { ATTACKED_PATTERNS } from './patterns.js'

/** Part of the blinding length at which the library has to come to an answer. */
const SHORTER = 0.9

const folder = mkdtempSync(join(tmpdir(), 'measure-pcre2-'))
const escaped = (text: string): string => [...text].map((char) => `\\x{${char.charCodeAt(0).toString(16)}}`).join('')
const number = (value: number): string => value.toLocaleString('en-US')

/** What the interpreter of the library answers, and in how many milliseconds. */
function measure(pattern: string, { prefix, pump, suffix }: Attack, copies: number): { readonly answer: string; readonly ms: number } {
  const file = join(folder, 'text')
  writeFileSync(file, `/${pattern.replaceAll('/', '\\x2f')}/\n    ${escaped(prefix)}\\[${escaped(pump)}]{${copies}}${escaped(suffix)}\\=no_jit\n`)
  const { stdout } = spawnSync('pcre2test', ['-q', '-tm', '1', file], { encoding: 'latin1' })
  const [, time, unit] = /time +([\d.]+) (\w+)/.exec(stdout) ?? []
  return {
    answer: /error (-\d+)/.exec(stdout)?.[1] ?? (stdout.includes('No match') ? 'no match' : 'match'),
    ms: Number(time) / (unit === 'microseconds' ? 1000 : unit === 'nanoseconds' ? 1e6 : 1),
  }
}

try {
  const [, version] = /version (\S+)/.exec(spawnSync('pcre2test', ['-C'], { encoding: 'utf8' }).stdout) ?? []
  console.log(`| Pattern | Event | Predicted | PCRE2 ${version} |\n|---|---|---|---|`)
  for (const pattern of ATTACKED_PATTERNS) {
    const outcome = compilePcre2(pattern)
    assert.ok(outcome.ok)
    const attack = findAttack(outcome.expression.tree)
    assert.ok(attack !== null, pattern)
    const { blind, stall } = attack
    const growth = attack.degree === null ? 'exponential' : `degree ${attack.degree}`
    const longest = measure(pattern, attack, stall.copies)
    const told = (bytes: number, predicted: string, measured: string): void =>
      console.log(`| \`${pattern.replaceAll('|', '\\|')}\` | ${number(bytes)} bytes | ${predicted} | ${measured} |`)
    if (blind === null) told(stall.bytes, `${growth}, ${number(stall.ms)} ms`, `${longest.answer}, ${number(Math.round(longest.ms))} ms`)
    else {
      const shorter = measure(pattern, attack, Math.floor(blind.copies * SHORTER)).answer
      told(blind.bytes, `${growth}, blind`, `error ${measure(pattern, attack, blind.copies).answer}; ${shorter} at ${SHORTER * 100} % of it`)
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
