/** Upgrades between two releases that a script derives from the recorded ruleset: `guard` names each planted break and nothing else, and merges what can be merged. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type CompiledRuleset, compileRuleset, type SourceFile } from '#engine'
import { readRulesetFolder } from '#workers'
import { call, Workplace } from '../server/cli/call.js'
import { runs } from '../support/runs.js'
import { CONFORMANCE, haveConformance, rulesetOf } from './conformance.js'
import { Random } from './random/random.js'
import { makeReleases, type Planted } from './release.js'

const skip = haveConformance() ? false : 'the recorded ruleset (../shared/conformance) is not here'
const SEEDS = runs(1, 12)
const WHOLE = runs(false, true)

interface Line {
  readonly code: string
  readonly severity: string
  readonly item: { readonly rule_id?: string; readonly decoder?: string } | null
  readonly advice: string
  readonly mergeable: boolean
}

const workplace = new Workplace()
after(() => workplace.remove())

function write(folder: string, files: readonly SourceFile[]): string {
  for (const { kind, filename, content } of files) workplace.write(`${folder}/${kind === 'lists' ? filename.replace(/^etc\//, '') : `${kind}/${filename}`}`, content)
  return join(workplace.folder, folder)
}

async function guard(from: string, to: string, custom: string, ...more: readonly string[]): Promise<Line[]> {
  const { code, stdout, stderr } = await call(['guard', '--from', from, '--to', to, '--custom', custom, '--jsonl', '--locale', 'en-US', ...more])
  assert.ok(code < 2, stderr)
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

function named({ item }: Line): string {
  return item?.rule_id ?? item?.decoder ?? ''
}

/** @param item the id of a rule, or the name of a decoder */
function isThere({ rules, decoders }: CompiledRuleset, item: string): boolean {
  return rules.find(Number(item)) !== undefined || decoders.definitions.some(({ name }) => name === item)
}

/** Each edit is named with what to do, and nothing else is. */
function assertNamed(found: readonly Line[], planted: readonly Planted[]): void {
  for (const { edit, item, codes, mergeable, advice } of planted) {
    const finding = found.find((line) => named(line) === item && codes.includes(line.code))
    assert.ok(finding !== undefined && finding.severity !== 'info', `${edit}: ${item} is not named`)
    assert.equal(finding.mergeable, mergeable, edit)
    assert.match(finding.advice, advice, edit)
  }
  const items = new Set(planted.map(({ item }) => item))
  assert.deepEqual(
    found.filter((line) => !items.has(named(line))),
    [],
  )
}

for (let seed = 1; seed <= SEEDS; seed++)
  test(`guard between two derived releases, seed ${seed}`, { skip }, async () => {
    const files = readRulesetFolder(join(CONFORMANCE, 'ruleset-default'), 'default')
    const { old, now, renamed, own, ownOfDecoder } = makeReleases(new Random(seed), rulesetOf('default'), files, WHOLE)
    const [from, to, last] = [write(`old${seed}`, old), write(`now${seed}`, now), write(`renamed${seed}`, renamed)]
    const custom = write(`custom${seed}`, own.files)
    assertNamed(await guard(from, to, custom, '--write'), own.planted)
    const merged = new Map(own.planted.flatMap(({ item, codes, mergeable }) => (mergeable ? [[item, codes] as const] : [])))
    // What has been merged is for the new release, where it may answer for the first time.
    const left = await guard(from, to, custom, '--seconds', '1')
    assert.deepEqual(
      left.filter((line) => merged.get(named(line))?.includes(line.code)),
      [],
    )
    const other = write(`decoder${seed}`, ownOfDecoder.files)
    assertNamed(await guard(to, last, other, '--write'), ownOfDecoder.planted)
    const base = readRulesetFolder(last, 'default')
    const repaired = compileRuleset([...base, ...readRulesetFolder(other, 'custom')])
    assert.ok(repaired.loads && ownOfDecoder.planted.every(({ item }) => isThere(repaired, item)))
  })
