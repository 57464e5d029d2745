/** The answer for the chosen event. Each part of it is a section; a picture of the answer is one more line in `SECTIONS`. */
import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import type { TraceEntry } from '#engine'
import type { EventAnswer } from '../../worker/protocol.js'
import { colourOf, fieldNames } from '../model/captures.js'
import { outcomeOf } from '../model/expectation.js'
import type { EditedEvent } from '../model/state.js'
import type { Texts } from '../texts/index.js'
import { EventDetail } from './event-detail.js'
import { ExplanationBox } from './explanation-box.js'
import { Icon } from './icons.js'
import { classOfLevel, Level } from './level.js'
import type { Props } from './props.js'

export interface SectionProps extends Props {
  readonly event: EditedEvent
  readonly answer: EventAnswer
}

/** In the order of the pane. */
const SECTIONS: readonly ComponentType<SectionProps>[] = [Outcome, Hints, Fields, Path, ExplanationBox, Counted, Trace]

export function AnswerPane(props: Props) {
  const { state, texts } = props
  const event = state.events.find(({ id }) => id === state.selectedEvent)
  if (event === undefined) return <p class="empty">{texts.answer.none}</p>
  const answer = state.answers.get(event.id)
  return (
    <>
      <EventDetail {...props} event={event} />
      <div class="answer-sections" aria-live="polite" aria-busy={answer === undefined}>
        {answer === undefined ? (
          <p class="empty">{texts.answer.waiting}</p>
        ) : answer.report.ok ? (
          SECTIONS.map((Section, index) => <Section key={index} {...props} event={event} answer={answer} />)
        ) : (
          <Refused answer={answer} texts={texts} loads={state.opened?.loads ?? true} />
        )}
      </div>
    </>
  )
}

function Refused({ answer: { report }, texts, loads }: { readonly answer: EventAnswer; readonly texts: Texts; readonly loads: boolean }) {
  return (
    <section class="outcome is-refused">
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

function Outcome({ page, texts, event, answer: { report } }: SectionProps) {
  const { answer: words } = texts
  const { rule, decoder, alert } = report
  const outcome = outcomeOf(event, report)
  return (
    <section class={`outcome ${rule === null ? 'is-silent' : classOfLevel(rule.level)}`}>
      <div class="outcome-head">
        {rule === null ? (
          <p class="outcome-title">{words.noRule}</p>
        ) : (
          <p class="outcome-title">
            <Level level={rule.level} texts={texts} />
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
              <span>{decoder === null ? words.noDecoder : words.decodedBy(decoder.name)}</span>
              {rule.frequency !== null && rule.firedtimes !== null && <span>{words.fired(rule.firedtimes)}</span>}
            </>
          )}
        </p>
        {rule !== null && <Tags attack={rule.attack_ids} groups={rule.groups} texts={texts} />}
      </div>
      <div class="outcome-actions">
        {outcome === null && (
          <button type="button" class="button" onClick={() => page.editEvent(event.id, { expected: rule?.id ?? '-' })}>
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
        <button type="button" class="button" onClick={() => page.saveCase(event.id)}>
          <Icon name="case" />
          {words.saveCase}
        </button>
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

function Path({ page, state, texts, answer: { report } }: SectionProps) {
  const { matched_rules, rule } = report
  if (matched_rules.length === 0) return null
  return (
    <section>
      <h3>{texts.answer.path}</h3>
      <ol class="path">
        {matched_rules.map(({ id, level, description, filename, line }) => (
          <li key={id} class={id === rule?.id ? 'is-final' : ''}>
            <button type="button" class="path-rule" title={texts.answer.pathHelp} aria-pressed={state.explained?.rule === id} onClick={() => page.explain(id)}>
              <Level level={level} texts={texts} />
              <span class="rule-id">{id}</span>
              <span class="description">{description}</span>
            </button>
            <button
              type="button"
              class="button quiet icon-only"
              aria-label={`${texts.answer.open}: ${id}`}
              title={`${texts.answer.open}: ${filename}`}
              onClick={() => void page.openAt('rules', filename, line)}
            >
              <Icon name="open" />
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Fields({ page, texts, answer: { report } }: SectionProps) {
  const { answer: words } = texts
  const names = fieldNames(report)
  const { predecoded, trace } = report
  const header = (['timestamp', 'hostname', 'program_name'] as const).filter((name) => (predecoded[name] ?? '') !== '')
  const decoder = trace.findLast(({ phase, matched, filename }) => phase === 'decode' && matched && filename !== undefined)
  return (
    <section>
      <h3>
        {words.fields}
        {decoder?.filename !== undefined && decoder.line !== undefined && (
          <button type="button" class="link-button decoder-link" onClick={() => void page.openAt('decoders', decoder.filename as string, decoder.line as number)}>
            {words.decodedBy(decoder.name)}
          </button>
        )}
      </h3>
      {report.decoder === null && <p class="muted">{words.noDecoder}</p>}
      {report.decoder !== null && names.length === 0 && <p class="muted">{words.noFields}</p>}
      <dl class="fields">
        {names.map((name, index) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the colour says the same without a pointer.
          <div key={name} onMouseEnter={() => highlight(colourOf(index))} onMouseLeave={() => highlight(null)}>
            <dt>
              <span class="captured" data-colour={colourOf(index)}>
                {name}
              </span>
            </dt>
            <dd>{report.extracted_fields[name]}</dd>
          </div>
        ))}
        {header.map((name) => (
          <div key={name} class="header-field">
            <dt>{words.header[name]}</dt>
            <dd>{predecoded[name]}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Marks the value of a field in the event, while the pointer is on its name. */
function highlight(colour: number | null): void {
  const { dataset } = document.documentElement
  if (colour === null) delete dataset.field
  else dataset.field = String(colour)
}

function Counted({ texts, answer: { report } }: SectionProps) {
  if (report.previous_output.length === 0) return null
  return (
    <section>
      <h3>{texts.answer.counted}</h3>
      <ol class="counted">
        {report.previous_output.map((log, index) => (
          <li key={index}>
            <code>{log}</code>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Trace({ page, texts, answer: { report } }: SectionProps) {
  const { answer: words } = texts
  if (report.trace.length === 0) return null
  return (
    <section>
      <details class="trace">
        <summary>{words.tried(report.trace.length)}</summary>
        <ol>
          {report.trace.map((entry, index) => (
            <li key={index} class={entry.matched ? 'is-matched' : ''}>
              <Icon name={entry.matched ? 'check' : 'close'} />
              <span class="hidden-text">{entry.matched ? words.triedMatched : words.triedFailed}</span>
              {entry.phase === 'rule' ? (
                <button type="button" class="link-button" onClick={() => page.explain(entry.name)}>
                  {entry.name}
                </button>
              ) : (
                <span>{entry.name}</span>
              )}
              <span class="muted">{describeEntry(entry)}</span>
            </li>
          ))}
        </ol>
      </details>
    </section>
  )
}

/** The condition that decided, and its pattern. */
function describeEntry({ details }: TraceEntry): string {
  const { condition, pattern, field } = details
  return [condition, field, pattern].filter((part) => typeof part === 'string' && part !== '').join(' · ')
}
