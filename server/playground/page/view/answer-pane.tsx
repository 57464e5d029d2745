/** The answer for the chosen event. Each part of it is a section; a picture of the answer is one more line in `SECTIONS`. */
import type { ComponentType } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { EventAnswer } from '../../worker/protocol.js'
import { outcomeOf } from '../model/expectation.js'
import { CapturedFields, capturesOf, Costs, Level, PICTURE_WORDS, TimeLine, Way, type WayProps } from '../pictures/index.js'
import type { Texts } from '../texts/index.js'
import { EventDetail } from './event-detail.js'
import { Icon } from './icons.js'
import { Menu } from './menu.js'
import { choosingOf, type SectionProps } from './section.js'
import type { EditorProps } from './use-editors.js'
import { WhySection } from './why-section.js'

/** In the order of the pane. */
const SECTIONS: readonly ComponentType<SectionProps>[] = [Outcome, Hints, Time, Fields, WayThrough, WhySection, Cost]
/** Those of the first answer that are shown at once; the others follow when these are painted. */
const FIRST_SECTIONS = SECTIONS.indexOf(WayThrough)

export function AnswerPane(props: EditorProps) {
  const { state, texts } = props
  const [pointed, onPoint] = useState<number | null>(null)
  const event = state.events.find(({ id }) => id === state.selectedEvent)
  const answer = event === undefined ? undefined : state.answers.get(event.id)
  const report = answer?.report
  const captures = useMemo(() => (report === undefined ? null : capturesOf(report)), [report])
  const [isPainted, setPainted] = useState(false)
  useEffect(() => {
    if (report !== undefined) setPainted(true)
  }, [report])
  if (event === undefined) return <p class="empty">{texts.answer.none}</p>
  return (
    <>
      <EventDetail {...props} event={event} captures={captures} pointed={pointed} onPoint={onPoint} />
      <div class="answer-sections" aria-busy={answer === undefined}>
        {answer === undefined || captures === null ? (
          <p class="empty">{texts.answer.waiting}</p>
        ) : answer.report.ok ? (
          SECTIONS.slice(0, isPainted ? SECTIONS.length : FIRST_SECTIONS).map((Section, index) => (
            <Section key={index} {...props} event={event} answer={answer} captures={captures} pointed={pointed} onPoint={onPoint} />
          ))
        ) : (
          <Refused answer={answer} texts={texts} loads={state.opened?.loads ?? true} />
        )}
      </div>
    </>
  )
}

function Refused({ answer: { report }, texts, loads }: { readonly answer: EventAnswer; readonly texts: Texts; readonly loads: boolean }) {
  return (
    <section class="outcome is-refused" aria-live="polite">
      <p class="outcome-title">
        <Icon name="warning" />
        {loads ? texts.answer.refused : texts.answer.notLoaded}
      </p>
      {[...report.insights, ...report.diagnostics.map(({ message }) => message)].map((text) => (
        <p key={text}>{text}</p>
      ))}
    </section>
  )
}

function Outcome({ page, state, texts, event, answer: { report } }: SectionProps) {
  const { answer: words } = texts
  const { rule, alert } = report
  const outcome = outcomeOf(event, report)
  return (
    <section class="outcome">
      <div aria-live="polite">
        {rule === null ? (
          <p class="outcome-title">{words.noRule}</p>
        ) : (
          <p class="outcome-title">
            <Level level={rule.level} words={PICTURE_WORDS[state.locale]} />
            <span class="rule-id">{rule.id}</span>
            <span class="description">{rule.description}</span>
          </p>
        )}
        <p class="outcome-facts">
          {rule === null ? (
            <span>{words.noRuleHelp}</span>
          ) : (
            <>
              <span class={alert ? 'is-alert' : ''}>{alert ? words.alert : words.noAlert}</span>
              {rule.frequency !== null && rule.firedtimes !== null && <span>{words.fired(rule.firedtimes)}</span>}
            </>
          )}
        </p>
        {rule !== null && <Tags attack={rule.attack_ids} groups={rule.groups} texts={texts} />}
      </div>
      <div class="outcome-actions">
        {outcome === null && (
          <button type="button" class="button" onClick={() => page.events.edit(event.id, { expected: rule?.id ?? '-' })}>
            {texts.event.expectThis}
          </button>
        )}
        {outcome === 'met' && (
          <span class="verdict met">
            <Icon name="check" />
            {texts.events.met}
          </span>
        )}
        {outcome === 'unmet' && (
          <span class="verdict unmet">
            <Icon name="cross" />
            {texts.events.unmet(event.expected)}
          </span>
        )}
        <span class="split">
          <button type="button" class="button" onClick={() => page.cases.save(event.id, 'json')}>
            <Icon name="case" />
            {words.saveCase}
          </button>
          {/* Folders and services get cases in JSON. */}
          {state.home === null && (
            <Menu label={words.saveCaseAs} class="button icon-only" items={[{ label: words.saveIni, act: () => page.cases.save(event.id, 'ini') }]}>
              <Icon name="down" />
            </Menu>
          )}
        </span>
        {rule !== null && (
          <button type="button" class="button" onClick={() => page.views.open('graph', { kind: 'rule', id: rule.id })}>
            <Icon name="graph" />
            {texts.views.graph}
          </button>
        )}
      </div>
    </section>
  )
}

/** Groups that are shown at once. Stock rules also have a dozen of compliance rules. */
const FIRST_GROUPS = 5

function Tags({ attack, groups, texts }: { readonly attack: readonly string[]; readonly groups: readonly string[]; readonly texts: Texts }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? groups : groups.slice(0, FIRST_GROUPS)
  if (attack.length === 0 && groups.length === 0) return null
  return (
    <ul class="tags" aria-label={texts.answer.groups}>
      {attack.map((id) => (
        <li key={id} class="tag attack">
          {id}
        </li>
      ))}
      {shown.map((group) => (
        <li key={group} class="tag">
          {group}
        </li>
      ))}
      {shown.length < groups.length && (
        <li>
          <button type="button" class="tag more" onClick={() => setWhole(true)}>
            {texts.answer.moreGroups(groups.length - shown.length)}
          </button>
        </li>
      )}
    </ul>
  )
}

function Hints({ texts, answer: { report } }: SectionProps) {
  const hints = [...report.insights, ...report.diagnostics.map(({ message, hint }) => `${message} ${hint}`.trim())]
  if (hints.length === 0) return null
  return (
    <section>
      <h3>{texts.answer.hints}</h3>
      <ul class="hints">
        {hints.map((hint) => (
          <li key={hint}>
            <Icon name="spark" />
            <span>{hint}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Which events a rule counted, for events that share a session. */
function Time(props: SectionProps) {
  const { page, state } = props
  const { events, answers, ruleset, session, selectedEvent, locale } = state
  const timed = useMemo(() => {
    let at = 0
    return events.flatMap(({ id, wait }, index) => {
      at += index === 0 ? 0 : wait
      const report = answers.get(id)?.report
      return report?.ok === true ? [{ id, at, answer: report }] : []
    })
  }, [events, answers])
  if (!session || timed.length < 2) return null
  return (
    <section>
      <h3>{PICTURE_WORDS[locale].timeLine}</h3>
      <TimeLine
        events={timed}
        rules={ruleset?.byId ?? NO_RULES}
        locale={locale}
        selectedEvent={timed.findIndex(({ id }) => id === selectedEvent)}
        onSelectEvent={(index) => page.events.select(timed[index].id)}
        {...choosingOf(props)}
      />
    </section>
  )
}

const NO_RULES: NonNullable<WayProps['rules']> = new Map()

function Fields({ state: { locale }, captures, pointed, onPoint }: SectionProps) {
  return (
    <section>
      <h3>{PICTURE_WORDS[locale].fields}</h3>
      <CapturedFields captures={captures} locale={locale} pointed={pointed} onPoint={onPoint} />
    </section>
  )
}

function WayThrough(props: SectionProps) {
  const { state, answer } = props
  return (
    <section>
      <h3>{PICTURE_WORDS[state.locale].way}</h3>
      <Way answer={answer.report} locale={state.locale} rules={state.ruleset?.byId ?? null} {...choosingOf(props)} />
    </section>
  )
}

function Cost({ state: { locale, costs }, event, answer: { report } }: SectionProps) {
  if (costs?.event !== event.id) return null
  return (
    <section>
      <h3>{PICTURE_WORDS[locale].costs}</h3>
      <Costs times={costs.times} answer={report} locale={locale} />
    </section>
  )
}
