/** What the cases are worth: the small changes of own rules and decoders that none of them notices, each with a case that would. */
import { useState } from 'preact/hooks'
import { suiteCaseInputs } from '#engine'
import type { Survivor } from '../../worker/protocol.js'
import type { CaseGrade } from '../model/state.js'
import type { Texts } from '../texts/index.js'
import { Icon } from './icons.js'
import { OpenRuleButton } from './open-rule-button.js'
import type { ViewsProps } from './views-dialog.js'

/** Characters of an event that are shown, and of a changed text. */
const EVENT_CHARACTERS = 400
const TEXT_CHARACTERS = 160

export function CaseGradeView(props: ViewsProps) {
  const { page, state, texts } = props
  const { caseGrade: words } = texts
  const { caseGrade: grade } = state
  return (
    <>
      <p class="muted">{words.what}</p>
      <div class="audit-head">
        <div aria-live="polite">{grade !== null && <Summary grade={grade} words={words} />}</div>
        <Buttons page={page} grade={grade} words={words} stop={texts.audit.stop} goOn={texts.audit.goOn} />
      </div>
      {grade !== null && grade.survivors.length > 0 && (
        <ul class="differences">
          {grade.survivors.map((survivor, index) => (
            <li key={index} class="difference is-lost">
              <SurvivorItem {...props} survivor={survivor} />
            </li>
          ))}
          {grade.counts.survived > grade.survivors.length && <li class="muted">{texts.differences.more(grade.counts.survived - grade.survivors.length)}</li>}
        </ul>
      )}
    </>
  )
}

type Words = Texts['caseGrade']

function Summary({ grade: { loads, failed, total, done, untried, counts, isRunning, isOld }, words }: { readonly grade: CaseGrade; readonly words: Words }) {
  const { killed, survived, unknown, equivalent } = counts
  const counted = killed + survived + unknown
  if (!loads) return <p>{words.notLoaded}</p>
  if (failed > 0) return <p>{words.failed(failed)}</p>
  if (total === 0) return <p>{words.nothing}</p>
  return (
    <>
      {counted > 0 && (
        <p>
          <strong>{words.score(Math.floor((100 * killed) / counted))}</strong> {words.counts(killed, survived, unknown, equivalent)}
        </p>
      )}
      {(isRunning || (total !== null && done < total)) && <p class="muted">{words.grading(done, total)}</p>}
      {untried > 0 && <p class="muted">{words.untried(untried)}</p>}
      {isOld && <p class="muted">{words.old}</p>}
    </>
  )
}

interface ButtonsProps extends Pick<ViewsProps, 'page'> {
  readonly grade: CaseGrade | null
  readonly words: Words
  readonly stop: string
  readonly goOn: string
}

function Buttons({
  page: {
    views: { grading },
  },
  grade,
  words,
  stop,
  goOn,
}: ButtonsProps) {
  const button = (text: string, act: () => void) => (
    <button type="button" class="button" onClick={act}>
      {text}
    </button>
  )
  if (grade?.isRunning === true) return button(stop, () => grading.stop())
  const isCut = grade !== null && !grade.isOld && grade.total !== null && grade.done < grade.total
  return isCut ? button(goOn, () => grading.goOn()) : button(grade === null ? words.begin : words.again, () => grading.begin())
}

function SurvivorItem({ page, texts, survivor }: ViewsProps & { readonly survivor: Survivor }) {
  const { caseGrade: words, differences } = texts
  const { rule, decoder, kind, filename, line, before, after, killer } = survivor
  const [isAdded, setAdded] = useState(false)
  const event = suiteCaseInputs(killer).at(-1)?.input.event ?? ''
  return (
    <>
      <p class="difference-title">
        <strong>{rule === null ? differences.decoder(decoder ?? '') : differences.rule(rule)}</strong>
        <span class="muted">
          {filename}, {texts.problems.line(line)}
        </span>
      </p>
      <p class="mutant">
        <del>{shorten(before, TEXT_CHARACTERS)}</del> {after !== '' && <ins>{shorten(after, TEXT_CHARACTERS)}</ins>}
      </p>
      <p class="muted">{words.killer(killer.expected_rule ?? null)}</p>
      <code class="difference-event">{shorten(event, EVENT_CHARACTERS)}</code>
      <div class="rule-card-actions">
        <button
          type="button"
          class="button"
          disabled={isAdded}
          onClick={() => {
            setAdded(true)
            page.cases.add(killer)
          }}
        >
          <Icon name={isAdded ? 'check' : 'case'} />
          {isAdded ? words.added : words.add}
        </button>
        {kind === 'rules' && <OpenRuleButton page={page} filename={filename} line={line} />}
      </div>
    </>
  )
}

function shorten(text: string, characters: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > characters ? `${line.slice(0, characters)}…` : line
}
