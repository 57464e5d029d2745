/** `node dist/test/parity/random/run.js [--count N] [--seed S]`: random contents of the seeds from S on, each in every mode of the engine. */
import { parseArgs } from 'node:util'
import { checkAgreement, emptyStatistics } from './agree.js'
import { type RandomContent, toSourceFile } from './content.js'
import { makeContent } from './ruleset.js'
import { shrink } from './shrink.js'

/** Runs that many contents, and reports progress; stops at the first failure. @returns the exit code */
export function runRandom(first: number, count: number, say: (line: string) => void, { check = checkAgreement, statistics = emptyStatistics() } = {}): number {
  for (let seed = first; seed < first + count; seed++) {
    const content = makeContent(seed)
    try {
      check(content, statistics)
    } catch (error) {
      say(`seed ${seed}: ${reasonOf(error)}`)
      say('The least content that fails:')
      const least = shrink(content, (smaller) => failureOf(smaller, check) !== null)
      say(describe(least))
      say(failureOf(least, check) ?? '')
      return 1
    }
    if ((seed - first + 1) % 1000 === 0) say(`${seed - first + 1} contents`)
  }
  const { codes, ...numbers } = statistics
  say(
    Object.entries({ ...numbers, codes: codes.size })
      .map(([name, number]) => `${name} ${number}`)
      .join(', '),
  )
  return 0
}

/** Returns why a content fails; null: it does not. */
function failureOf(content: RandomContent, check: typeof checkAgreement): string | null {
  try {
    check(content)
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Returns the files and events of a content for people. */
export function describe(content: RandomContent): string {
  const files = content.files.map((file) => `--- ${file.kind} ${file.filename} (${file.scope}, layer ${file.layer})\n${toSourceFile(file).content}`)
  const sessions = content.sessions.map(({ events, restoredAt }) => `--- session, restored at ${restoredAt}\n${events.map((event) => JSON.stringify(event)).join('\n')}`)
  return [...files, ...sessions, `--- explained: ${content.explained.join(', ')}`].join('\n')
}

if (process.argv[1]?.endsWith('random/run.js')) {
  const { values } = parseArgs({ options: { count: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } } })
  const [seed, count] = [Number(values.seed), Number(values.count)]
  if (!Number.isInteger(seed) || seed < 0 || !Number.isInteger(count) || count < 1) {
    console.error('usage: node dist/test/parity/random/run.js [--count N] [--seed S]')
    process.exitCode = 2
  } else process.exitCode = runRandom(seed, count, (line) => console.log(line))
}
