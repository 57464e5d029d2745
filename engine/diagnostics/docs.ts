/** The reference of all codes, generated from the registry, so that it cannot differ from the service. */
import { DIAGNOSTIC_AREAS, type DiagnosticArea, type DiagnosticCode, entryOf } from './codes.js'
import { type Locale, WORDS } from './text.js'

const ENGLISH = {
  title: 'Diagnostics',
  intro: 'Every code that validation and tests can report, with what Wazuh 4.14.7 itself does in the same case.',
  severity: 'Severity',
  effect: 'Wazuh',
  numbers: 'Wazuh message',
  message: 'Message',
  action: 'What to do',
  wrong: 'Wrong',
  right: 'Right',
  effects: {
    refuse: 'refuses to load the ruleset',
    drop: 'drops the rule without an error',
    ignore: 'ignores this part and goes on',
    crash: 'crashes or hangs',
    none: 'accepts it',
  },
  areas: {
    files: 'Files',
    lists: 'CDB lists',
    xml: 'XML',
    decoders: 'Decoders',
    decoderChecks: 'Decoders: what Wazuh does not report',
    expressions: 'Patterns',
    ruleAttributes: 'Groups and rule attributes',
    ruleOptions: 'Rule options',
    ruleTree: 'Parents and correlation',
    mitre: 'MITRE ATT&CK',
    ruleChecks: 'Rules: what Wazuh does not report',
    engine: 'Runs and sessions',
  },
}

const HEADINGS: Record<Locale, typeof ENGLISH> = {
  'en-US': ENGLISH,
  'pt-BR': {
    title: 'Diagnósticos',
    intro: 'Todos os códigos que a validação e os testes podem informar, com o que o próprio Wazuh 4.14.7 faz no mesmo caso.',
    severity: 'Severidade',
    effect: 'Wazuh',
    numbers: 'Mensagem do Wazuh',
    message: 'Mensagem',
    action: 'O que fazer',
    wrong: 'Errado',
    right: 'Certo',
    effects: {
      refuse: 'recusa-se a carregar o conjunto de regras',
      drop: 'descarta a regra sem erro',
      ignore: 'ignora esta parte e segue',
      crash: 'quebra ou trava',
      none: 'aceita',
    },
    areas: {
      files: 'Arquivos',
      lists: 'Listas CDB',
      xml: 'XML',
      decoders: 'Decoders',
      decoderChecks: 'Decoders: o que o Wazuh não informa',
      expressions: 'Padrões',
      ruleAttributes: 'Grupos e atributos de regras',
      ruleOptions: 'Opções de regras',
      ruleTree: 'Pais e correlação',
      mitre: 'MITRE ATT&CK',
      ruleChecks: 'Regras: o que o Wazuh não informa',
      engine: 'Execuções e sessões',
    },
  },
}

/** Returns the reference in Markdown. */
export function diagnosticReference(locale: Locale): string {
  const headings = HEADINGS[locale]
  const parts = [`# ${headings.title}`, headings.intro]
  for (const [area, codes] of Object.entries(DIAGNOSTIC_AREAS)) {
    parts.push(`## ${headings.areas[area as DiagnosticArea]}`)
    for (const code of Object.keys(codes) as DiagnosticCode[]) parts.push(...describeCode(code, locale))
  }
  return `${parts.join('\n\n')}\n`
}

/** Returns the page about one code in Markdown. */
export function diagnosticPage(code: DiagnosticCode, locale: Locale): string {
  const [heading, ...parts] = describeCode(code, locale)
  return `${[heading.replace(/^#+/, '#'), ...parts].join('\n\n')}\n`
}

/** Returns one code as Markdown and as plain text, without its heading. */
export function diagnosticHelp(code: DiagnosticCode, locale: Locale): { readonly text: string; readonly markdown: string } {
  const entry = entryOf(code)
  const { doc, hint } = entry.texts[locale]
  const { action, wrong, right } = HEADINGS[locale]
  const { example } = entry
  const examples = example === undefined ? [] : [`${wrong}: ${example.wrong}`, `${right}: ${example.right}`]
  // The heading already has the code and the title.
  return { text: [doc, `${action}: ${hint}`, ...examples].join('\n\n'), markdown: describeCode(code, locale).slice(2).join('\n\n') }
}

function describeCode(code: DiagnosticCode, locale: Locale): string[] {
  const entry = entryOf(code)
  const headings = HEADINGS[locale]
  const texts = entry.texts[locale]
  const facts = [`${headings.severity}: ${WORDS[locale].severity[entry.severity]}`]
  if (entry.source !== 'session' && !code.startsWith('engine_')) facts.push(`${headings.effect}: ${headings.effects[entry.effect]}`)
  if (entry.engineNumbers.length > 0) facts.push(`${headings.numbers}: ${entry.engineNumbers.join(', ')}`)
  const parts = [
    `### \`${code}\``,
    `**${plain(texts.title)}**`,
    facts.join(' · '),
    plain(texts.doc),
    `${headings.message}: ${plain(texts.message)}`,
    `${headings.action}: ${plain(texts.hint)}`,
  ]
  if (entry.example !== undefined) {
    parts.push(`${headings.wrong}:`, fenced(entry.example.wrong), `${headings.right}:`, fenced(entry.example.right))
  }
  return parts
}

/** Escapes Markdown and HTML. */
function plain(text: string): string {
  return text.replace(/[\\<*`[\]]/g, '\\$&')
}

function fenced(source: string): string {
  return `\`\`\`xml\n${source}\n\`\`\``
}
