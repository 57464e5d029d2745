/** Compares a ruleset with a hundred edits of itself: the share of edits for which the changed rule got an event or a proof, and processor time. */
import { compareBehaviour, compileRuleset, type SourceFile } from '#engine'
import { Random } from '../../test/parity/random/random.js'
import { haveRecordings, referenceData, stockData } from './data.js'
import { median } from '../median.js'
import { report } from '../report.js'

const EDITS_OF_KIND = 10
const TIME_LIMIT_MS = 60_000
const RULE = /<rule [\s\S]*?<\/rule>/g

/** One edit of a rule each; the same text: the rule has nothing to edit. */
const KINDS: Readonly<Record<string, (rule: string) => string>> = {
  'another level': (rule) => rule.replace(/level="(\d+)"/, (_, level: string) => `level="${level === '3' ? 5 : 3}"`),
  'an alternative is gone': (rule) => rule.replace(/(<(?:match|regex)[^>]*>)[^<|]*\|/, '$1'),
  'an alternative is new': (rule) => rule.replace(/(<match>[^<]+)<\/match>/, '$1|zebra crossing</match>'),
  'alternatives in another order': (rule) => rule.replace(/<match>([^<!^$]+\|[^<!^$]+)<\/match>/, (_, text: string) => `<match>${text.split('|').reverse().join('|')}</match>`),
  'another description': (rule) => rule.replace('<description>', '<description>New: '),
  'another count': (rule) => rule.replace(/frequency="(\d+)"/, (_, count: string) => `frequency="${Number(count) + 2}"`),
  'another timeframe': (rule) => rule.replace(/timeframe="(\d+)"/, (_, seconds: string) => `timeframe="${Number(seconds) * 2}"`),
  'a condition is gone': (rule) => rule.replace(/<(field|user|status|action|url)[ >][^\n]*<\/\1>/, ''),
  'a rule is gone': () => '',
  'a field with another text': (rule) => rule.replace(/(<field name="[^"]+"[^>]*>)([^<]+)<\/field>/, '$1zz$2</field>'),
}

export function benchDiff(): void {
  const data = haveRecordings() ? stockData('default') : referenceData()
  const before = compileRuleset(data.files)
  const rules = data.files.filter(({ kind }) => kind === 'rules')
  const random = new Random(11)
  const rows = Object.entries(KINDS).map(([kind, edit]) => {
    const found = { differs: 0, proven: 0, searched: 0, unknown: 0 }
    const times: number[] = []
    while (times.length < EDITS_OF_KIND) {
      const file = random.pick(rules)
      const written = file.content.match(RULE) ?? []
      if (written.length === 0) continue
      const rule = random.pick(written)
      const id = /\bid="(\d+)"/.exec(rule)?.[1]
      const edited = edit(rule)
      if (edited === rule || id === undefined || before.rules.find(Number(id)) === undefined) continue
      const after = compileRuleset(data.files.map((each): SourceFile => (each === file ? { ...file, content: file.content.replace(rule, () => edited) } : each)))
      if (!after.loads) continue
      const started = processorMs()
      const { items } = compareBehaviour(before, after, { mayGoOn: () => processorMs() - started < TIME_LIMIT_MS })
      times.push(processorMs() - started)
      const item = items.find(({ name }) => name === id)
      // An edit without any meaning is no item.
      found[item === undefined || (item.result === 'equal' && item.proven) ? 'proven' : item.result === 'equal' ? 'searched' : item.result]++
    }
    return [kind, found.differs, found.proven, found.searched, found.unknown, median(times), Math.max(...times)]
  })
  report('diff', {
    title: `A hundred edits of rules of the ruleset ${data.name}: what is said of the edited rule, and milliseconds of processor`,
    columns: ['edit', 'event', 'proof', 'searched', 'unknown', 'median ms', 'longest ms'],
    rows,
  })
}

/** Processor time of this process in milliseconds, with garbage collection. The machine may be busy with other work, so elapsed time says less. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
