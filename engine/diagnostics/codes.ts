/**
 * The registry of diagnostics. Invariants:
 *  1. a released code keeps its name and meaning, because callers store it
 *  2. no code is in two areas (tested)
 *  3. severity `error` means that Wazuh refuses to load, logs at error level, drops the rule, crashes or hangs, or that a run failed
 *  4. the English message and hint define the placeholders; texts in other languages can use only those (otherwise they do not compile)
 */
import { DECODER_CHECKS_DIAGNOSTICS } from './codes/decoder-checks.js'
import { DECODERS_DIAGNOSTICS } from './codes/decoders.js'
import { ENGINE_DIAGNOSTICS } from './codes/engine.js'
import { EXPRESSIONS_DIAGNOSTICS } from './codes/expressions.js'
import { FILES_DIAGNOSTICS } from './codes/files.js'
import { LISTS_DIAGNOSTICS } from './codes/lists.js'
import { MITRE_DIAGNOSTICS } from './codes/mitre.js'
import { RULE_ATTRIBUTES_DIAGNOSTICS } from './codes/rule-attributes.js'
import { RULE_CHECKS_DIAGNOSTICS } from './codes/rule-checks.js'
import { RULE_OPTIONS_DIAGNOSTICS } from './codes/rule-options.js'
import { RULE_TREE_DIAGNOSTICS } from './codes/rule-tree.js'
import { XML_DIAGNOSTICS } from './codes/xml.js'
import type { DiagnosticDeclaration, DiagnosticEntry, DiagnosticSource, DiagnosticTexts, ParamValue, Placeholder } from './entry.js'

export type { DiagnosticEntry, DiagnosticSource, DiagnosticTexts, EngineEffect, Severity } from './entry.js'

/** Written out, so that the declarations of the package name these types instead of repeating all texts. */
type Areas = {
  readonly files: typeof FILES_DIAGNOSTICS
  readonly lists: typeof LISTS_DIAGNOSTICS
  readonly xml: typeof XML_DIAGNOSTICS
  readonly decoders: typeof DECODERS_DIAGNOSTICS
  readonly decoderChecks: typeof DECODER_CHECKS_DIAGNOSTICS
  readonly expressions: typeof EXPRESSIONS_DIAGNOSTICS
  readonly ruleAttributes: typeof RULE_ATTRIBUTES_DIAGNOSTICS
  readonly ruleOptions: typeof RULE_OPTIONS_DIAGNOSTICS
  readonly ruleTree: typeof RULE_TREE_DIAGNOSTICS
  readonly mitre: typeof MITRE_DIAGNOSTICS
  readonly ruleChecks: typeof RULE_CHECKS_DIAGNOSTICS
  readonly engine: typeof ENGINE_DIAGNOSTICS
}

/** The areas in the order of the reference page. */
export const DIAGNOSTIC_AREAS: Areas = {
  files: FILES_DIAGNOSTICS,
  lists: LISTS_DIAGNOSTICS,
  xml: XML_DIAGNOSTICS,
  decoders: DECODERS_DIAGNOSTICS,
  decoderChecks: DECODER_CHECKS_DIAGNOSTICS,
  expressions: EXPRESSIONS_DIAGNOSTICS,
  ruleAttributes: RULE_ATTRIBUTES_DIAGNOSTICS,
  ruleOptions: RULE_OPTIONS_DIAGNOSTICS,
  ruleTree: RULE_TREE_DIAGNOSTICS,
  mitre: MITRE_DIAGNOSTICS,
  ruleChecks: RULE_CHECKS_DIAGNOSTICS,
  engine: ENGINE_DIAGNOSTICS,
} satisfies Record<string, Record<string, DiagnosticDeclaration>>

export type DiagnosticArea = keyof Areas

/** The source of the codes of an area that declare none. */
const AREA_SOURCES: Readonly<Record<DiagnosticArea, DiagnosticSource>> = {
  files: 'filesystem',
  lists: 'filesystem',
  xml: 'xml',
  decoders: 'decoders',
  decoderChecks: 'decoders',
  expressions: 'engine',
  ruleAttributes: 'rules',
  ruleOptions: 'rules',
  ruleTree: 'rules',
  mitre: 'rules',
  ruleChecks: 'rules',
  engine: 'engine',
}

/** Every code with its declaration. */
export const DIAGNOSTICS: Areas['files'] &
  Areas['lists'] &
  Areas['xml'] &
  Areas['decoders'] &
  Areas['decoderChecks'] &
  Areas['expressions'] &
  Areas['ruleAttributes'] &
  Areas['ruleOptions'] &
  Areas['ruleTree'] &
  Areas['mitre'] &
  Areas['ruleChecks'] &
  Areas['engine'] = {
  ...FILES_DIAGNOSTICS,
  ...LISTS_DIAGNOSTICS,
  ...XML_DIAGNOSTICS,
  ...DECODERS_DIAGNOSTICS,
  ...DECODER_CHECKS_DIAGNOSTICS,
  ...EXPRESSIONS_DIAGNOSTICS,
  ...RULE_ATTRIBUTES_DIAGNOSTICS,
  ...RULE_OPTIONS_DIAGNOSTICS,
  ...RULE_TREE_DIAGNOSTICS,
  ...MITRE_DIAGNOSTICS,
  ...RULE_CHECKS_DIAGNOSTICS,
  ...ENGINE_DIAGNOSTICS,
} as const satisfies Record<string, DiagnosticDeclaration>

export type DiagnosticCode = keyof typeof DIAGNOSTICS

/** Places of the languages in a `Translated`. */
type English = 0
type Portuguese = 1

type PlaceholderOf<C extends DiagnosticCode, L extends English | Portuguese> = Placeholder<(typeof DIAGNOSTICS)[C]['message' | 'hint'][L]>

/**
 * The parameters that a code's texts need. If the code is known only at run time (`DiagnosticCode`), any parameters are accepted.
 */
export type DiagnosticParams<C extends DiagnosticCode> = DiagnosticCode extends C
  ? Readonly<Record<string, ParamValue>>
  : { readonly [Name in PlaceholderOf<C, English>]: ParamValue }

/** Codes whose Portuguese texts use a placeholder that the English ones lack. */
type StrayPlaceholders = { [C in DiagnosticCode]: [Exclude<PlaceholderOf<C, Portuguese>, PlaceholderOf<C, English>>] extends [never] ? never : C }[DiagnosticCode]

type None<T extends never> = T

/** Fails to compile if such a code exists; the error names it. */
export type PlaceholdersAgree = None<StrayPlaceholders>

const ENTRIES = new Map(
  Object.entries<Record<string, DiagnosticDeclaration>>(DIAGNOSTIC_AREAS).flatMap(([area, codes]) =>
    Object.entries(codes).map(([code, declared]) => [code, entryFrom(declared, AREA_SOURCES[area as DiagnosticArea])] as const),
  ),
)

function entryFrom(declared: DiagnosticDeclaration, areaSource: DiagnosticSource): DiagnosticEntry {
  const { severity, source = areaSource, effect = 'none', engineNumbers = [], title, message, hint, doc } = declared
  const textsAt = (place: English | Portuguese): DiagnosticTexts => ({ title: title[place], message: message[place], hint: hint[place], doc: doc[place] })
  const { example } = declared
  return { severity, source, effect, engineNumbers, ...(example === undefined ? {} : { example }), texts: { 'en-US': textsAt(0), 'pt-BR': textsAt(1) } }
}

/** Returns the entry of a code, with its defaults and without its literal types. */
export function entryOf(code: DiagnosticCode): DiagnosticEntry {
  return ENTRIES.get(code) as DiagnosticEntry
}
