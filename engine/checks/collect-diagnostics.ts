/**
 * All diagnostics of a ruleset: those of the loader, and those of the checks, which run on demand. A scope is checked without the higher scopes.
 * A layer therefore has the same diagnostics whether it was compiled on its base or together with it, and those of the base never change, but for attacks on its
 * patterns: they are searched where the base is checked alone. That takes several times as long as all checks, so it is a demand of its own.
 */
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { SEVERITY_ORDER } from '../diagnostics/entry.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { FileKind, FileScope, SourceFile } from '../source/source-file.js'
import { checkAttacks } from './attacks.js'
import { checkRuleset } from './index.js'

/** From lowest to highest. */
const SCOPES: readonly FileScope[] = ['default', 'custom', 'adhoc']

/** Cached by ruleset: its base and the diagnostics of its checks. */
const BASES = new WeakMap<CompiledRuleset, CompiledRuleset>()
const CHECK_DIAGNOSTICS = new WeakMap<CompiledRuleset, readonly Diagnostic[]>()

/** The diagnostics of the checks of a ruleset, which are plain data; null: the checks have not run. */
export function knownChecks(ruleset: CompiledRuleset): readonly Diagnostic[] | null {
  return CHECK_DIAGNOSTICS.get(ruleset) ?? null
}

/** Takes over the diagnostics that the checks found in a ruleset with the same hash, so that the checks do not run again. */
export function adoptChecks(ruleset: CompiledRuleset, diagnostics: readonly Diagnostic[]): void {
  CHECK_DIAGNOSTICS.set(ruleset, diagnostics)
}

/** Compiles files on top of a ruleset, or alone. */
type Compile = (base: CompiledRuleset | null, files: readonly SourceFile[]) => CompiledRuleset

/** What a ruleset is found to have; each part is computed when it is first asked for. */
export class Findings {
  readonly #ruleset: CompiledRuleset
  readonly #base: CompiledRuleset | null
  readonly #compile: Compile
  #surveyed: CompiledRuleset | null = null
  #lossReasons: ReadonlyMap<number, Diagnostic> | null = null
  #withoutAttacks: readonly Diagnostic[] | null = null
  #all: readonly Diagnostic[] | null = null

  /** @param base the base of the ruleset, or null */
  constructor(ruleset: CompiledRuleset, base: CompiledRuleset | null, compile: Compile) {
    this.#ruleset = ruleset
    this.#base = base
    this.#compile = compile
  }

  /** The diagnostics with which rules were left out, by id. */
  get lossReasons(): ReadonlyMap<number, Diagnostic> {
    this.#lossReasons ??= this.#survey().dropped
    return this.#lossReasons
  }

  /** The diagnostics of the loader and of the checks. */
  get withoutAttacks(): readonly Diagnostic[] {
    if (this.#withoutAttacks === null) {
      if (this.#base !== null) BASES.set(this.#ruleset, this.#base)
      const surveyed = this.#survey()
      this.#withoutAttacks = inOrder(this.#ruleset, [...surveyed.loadDiagnostics, ...checkDiagnosticsOf(this.#ruleset, this.#compile, surveyed)])
    }
    return this.#withoutAttacks
  }

  /** The same with attacks on patterns. */
  get all(): readonly Diagnostic[] {
    if (this.#all === null) {
      const { withoutAttacks, lossReasons } = this
      const attacks = checkAttacks(this.#survey(), attackedScopes(this.#ruleset))
      this.#all = attacks.length === 0 ? withoutAttacks : inOrder(this.#ruleset, [...withoutAttacks, ...attacks])
      // The survey of a faulty ruleset is large, and everything is known now.
      this.#lossReasons = lossReasons
      this.#surveyed = null
    }
    return this.#all
  }

  #survey(): CompiledRuleset {
    this.#surveyed ??= this.#ruleset.surveyed()
    return this.#surveyed
  }
}

/** The scopes whose patterns are searched for attacks: all but the base, or the base alone. Its diagnostics of this kind are the only ones that a layer hides. */
function attackedScopes({ files }: CompiledRuleset): ReadonlySet<FileScope> {
  const scopes = new Set(files.map(({ scope }) => scope))
  if (scopes.size > 1) scopes.delete('default')
  return scopes
}

/** Runs the checks on a whole ruleset, scope by scope. */
function checkDiagnosticsOf(ruleset: CompiledRuleset, compile: Compile, surveyed: CompiledRuleset = ruleset.surveyed()): readonly Diagnostic[] {
  const known = CHECK_DIAGNOSTICS.get(ruleset)
  if (known !== undefined) return known
  const top = SCOPES.findLast((scope) => ruleset.files.some((file) => file.scope === scope))
  const below = ruleset.files.filter(({ scope }) => scope !== top).map(({ file }) => file)
  const own = top === undefined ? [] : checkRuleset(surveyed, top)
  const diagnostics = below.length === 0 ? own : [...checkDiagnosticsOf(rulesetOf(ruleset, below, compile), compile), ...own]
  CHECK_DIAGNOSTICS.set(ruleset, diagnostics)
  return diagnostics
}

/** A ruleset of exactly these files: a base, or the largest usable base with the remaining files compiled on it. */
function rulesetOf(ruleset: CompiledRuleset, files: readonly SourceFile[], compile: Compile): CompiledRuleset {
  const wanted = new Set(files)
  for (let at = BASES.get(ruleset); at !== undefined; at = BASES.get(at)) {
    const baseFiles = at.files.map(({ file }) => file)
    if (!baseFiles.every((file) => wanted.has(file))) continue
    for (const file of baseFiles) wanted.delete(file)
    if (wanted.size === 0) return at
    const layer = compile(at, [...wanted])
    BASES.set(layer, at)
    return layer
  }
  return compile(null, files)
}

/** Sorts by load order of the files, then by location. */
export function inOrder({ files }: CompiledRuleset, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const ranks = new Map<string, number>()
  for (const [index, { kind, scope, filename }] of files.entries()) if (!ranks.has(keyOf(kind, scope, filename))) ranks.set(keyOf(kind, scope, filename), index)
  const ranked = diagnostics.map((diagnostic) => ({ diagnostic, rank: ranks.get(keyOf(diagnostic.kind, diagnostic.scope, diagnostic.filename)) ?? -1 }))
  return ranked.sort((a, b) => a.rank - b.rank || compare(a.diagnostic, b.diagnostic)).map(({ diagnostic }) => diagnostic)
}

function keyOf(kind: FileKind, scope: FileScope, filename: string): string {
  return `${kind} ${scope} ${filename}`
}

function compare(a: Diagnostic, b: Diagnostic): number {
  const [first, second] = [a.span, b.span]
  return (first?.line ?? 0) - (second?.line ?? 0) || (first?.column ?? 0) - (second?.column ?? 0) || SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity]
}
