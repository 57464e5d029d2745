/** Finds XML in an answer, fenced or bare, and lets the engine compile it, so that the answer of a model has the diagnostics of its content. */
import type { AnalysisPool, DiagnosticRecord, RequestOptions, SourceFile, ValidationAnswer } from '#workers'

/** Blocks of an answer that are compiled; an answer of a page has one or two. */
const BLOCKS_LIMIT = 5
/** Maximum diagnostics that are shown for one block. */
const DIAGNOSTICS_SHOWN = 20
const FENCE = /```[^\n`]*\n([\s\S]*?)(?:```|$)/g
const HAS_CONTENT = /<(?:group|rule|decoder)\b/i
/** From the first element of content to the last one. */
const BARE = /<(?:group|rule|decoder)\b[\s\S]*<\/(?:group|rule|decoder)\s*>/i
const DECODERS = /<decoder\b[\s\S]*?<\/decoder\s*>/gi
const RULE_ID = /<rule\b[^>]*?\bid\s*=\s*["']?(\d+)/gi

const RULES_FILE = 'answer_rules.xml'
const DECODERS_FILE = 'answer_decoders.xml'
const CURRENT_FILE = 'current.xml'

/** What the engine found in one block. */
export interface AnswerFinding {
  /** The block, as it is in the answer. */
  readonly xml: string
  /** Whether Wazuh loads it, without an error. */
  readonly ok: boolean
  readonly diagnostics: readonly DiagnosticRecord[]
}

/** Returns the blocks of an answer that have rules or decoders. */
export function xmlBlocks(answer: string): string[] {
  const fenced = [...answer.matchAll(FENCE)].map(([, block]) => block)
  const rest = answer.replaceAll(FENCE, '\n')
  const bare = BARE.exec(rest)?.[0]
  return [...fenced, ...(bare === undefined ? [] : [bare])].filter((block) => HAS_CONTENT.test(block)).slice(0, BLOCKS_LIMIT)
}

/**
 * Compiles the blocks of an answer, each on top of the reference ruleset and, unless it has rules of the same ids, of the XML that is being edited. A block that
 * takes too long has a diagnostic that says so; one that could not be compiled, because all threads are busy, has none and is not `ok`.
 */
export async function checkAnswer(pool: Pick<AnalysisPool, 'validate'>, answer: string, currentXml: string, options: RequestOptions): Promise<AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  for (const xml of xmlBlocks(answer)) {
    const outcome = await pool.validate({ ruleset: { includeDefaults: true, includeCustom: false, files: filesOf(xml, currentXml) } }, options)
    if (outcome.outcome === 'ok') {
      const { diagnostics } = JSON.parse(Buffer.from(outcome.value.bytes).toString()) as ValidationAnswer
      outcome.value.release()
      const own = diagnostics.filter(({ filename }) => filename === RULES_FILE || filename === DECODERS_FILE)
      findings.push({ xml, ok: !own.some(({ severity }) => severity === 'error'), diagnostics: own.slice(0, DIAGNOSTICS_SHOWN) })
    } else {
      findings.push({ xml, ok: false, diagnostics: outcome.outcome === 'timeout' || outcome.outcome === 'failed' ? [outcome.diagnostic] : [] })
    }
  }
  return findings
}

function filesOf(xml: string, currentXml: string): SourceFile[] {
  const ids = idsOf(xml)
  const isRevision = [...idsOf(currentXml)].some((id) => ids.has(id))
  return [...(isRevision ? [] : split(currentXml, CURRENT_FILE, CURRENT_FILE)), ...split(xml, RULES_FILE, DECODERS_FILE)]
}

/** Rules and decoders are files of their own. Rules without a group get one, on the same line. */
function split(xml: string, rulesFile: string, decodersFile: string): SourceFile[] {
  const decoders = (xml.match(DECODERS) ?? []).join('\n')
  const rules = xml.replaceAll(DECODERS, (found) => found.replaceAll(/[^\n]/g, '')).trimEnd()
  const grouped = /<group\b[^>]*\bname/i.test(rules) ? rules : `<group name="answer,">${rules}</group>`
  return [
    ...(decoders === '' ? [] : [{ filename: decodersFile, kind: 'decoders', scope: 'adhoc', content: decoders } as const]),
    ...(rules.trim() === '' ? [] : [{ filename: rulesFile, kind: 'rules', scope: 'adhoc', content: grouped } as const]),
  ]
}

function idsOf(xml: string): Set<string> {
  return new Set([...xml.matchAll(RULE_ID)].map(([, id]) => id))
}
