/** The audit as a map: each own rule is a cell with its verdict, and the chosen one shows why, and its event. */
import { useMemo, useRef } from 'preact/hooks'
import { AUDIT_VERDICTS, type AuditRecord, type AuditVerdict } from '#engine'
import type { Texts } from '../texts/index.js'
import { Icon } from './icons.js'
import { OpenRuleButton } from './open-rule-button.js'
import type { ViewsProps } from './views-dialog.js'

/** Characters of an event that are shown. */
const EVENT_CHARACTERS = 400
/** A sign beside each colour, for people who do not tell colours apart. */
const SIGNS: Readonly<Record<AuditVerdict, string>> = { dropped: '!', unreachable: '✕', shadowed: '≡', unknown: '?', only_if: '~', noalert: '–', fires: '✓' }

export function AuditView({ page, state, texts, views }: ViewsProps) {
  const { audit: words } = texts
  const { audit } = state
  const chosen = views.focus?.kind === 'rule' ? views.focus.id : null
  const record = audit?.records.find(({ rule_id }) => rule_id === chosen)
  if (audit === null) return null
  const { loads, total, more, records, isRunning } = audit
  if (!loads) return <p>{words.notLoaded}</p>
  if (!isRunning && total === 0) return <p>{words.nothing}</p>
  return (
    <>
      <div class="audit-head">
        <p class="muted" aria-live="polite">
          {isRunning ? words.judging(records.length, total ?? 0) : total !== null && words.judged(records.length, total)}
          {more > 0 && ` ${words.more(more)}`}
        </p>
        {isRunning ? (
          <button type="button" class="button" onClick={() => page.views.stopAudit()}>
            {words.stop}
          </button>
        ) : (
          (total === null || records.length < total) && (
            <button type="button" class="button" onClick={() => page.views.goOnWithAudit()}>
              {words.goOn}
            </button>
          )
        )}
      </div>
      <Legend records={records} words={words} />
      <Cells records={records} chosen={chosen} words={words} onChoose={(id) => page.views.open('audit', { kind: 'rule', id })} />
      {record !== undefined && <Verdict page={page} texts={texts} record={record} />}
    </>
  )
}

type AuditWords = Texts['audit']

function Legend({ records, words }: { readonly records: readonly AuditRecord[]; readonly words: AuditWords }) {
  return (
    <ul class="audit-legend" aria-label={words.legend}>
      {AUDIT_VERDICTS.map((verdict) => {
        const count = records.filter((record) => record.verdict === verdict).length
        return count === 0 ? null : (
          <li key={verdict}>
            <span class={`audit-sign is-${verdict}`} aria-hidden="true">
              {SIGNS[verdict]}
            </span>
            {words.verdicts[verdict]}: {count}
          </li>
        )
      })}
    </ul>
  )
}

interface CellsProps {
  readonly records: readonly AuditRecord[]
  readonly chosen: string | null
  readonly words: AuditWords
  readonly onChoose: (id: string) => void
}

/** The rules by file. The cells are one stop of the Tab key; arrow keys move between them. */
function Cells({ records, chosen, words, onChoose }: CellsProps) {
  const box = useRef<HTMLDivElement>(null)
  const files = useMemo(() => {
    const byFile = new Map<string, AuditRecord[]>()
    for (const record of records) byFile.set(record.filename, [...(byFile.get(record.filename) ?? []), record])
    return [...byFile]
  }, [records])
  const stop = records.some(({ rule_id }) => rule_id === chosen) ? chosen : files[0]?.[1][0]?.rule_id
  const move = (event: KeyboardEvent): void => {
    const cells = [...(box.current?.querySelectorAll<HTMLButtonElement>('.audit-cell') ?? [])]
    const at = cells.indexOf(event.target as HTMLButtonElement)
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: cells.length - 1 }[event.key]
    if (next === undefined || at < 0) return
    event.preventDefault()
    cells[(next + cells.length) % cells.length].focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only moves the focus between the buttons in it
    <div ref={box} class="audit-map" onKeyDown={move}>
      {files.map(([filename, rules]) => (
        <section key={filename} aria-label={filename}>
          <h3 class="audit-file">{filename}</h3>
          <ul class="audit-cells">
            {rules.map(({ rule_id: id, verdict, line }) => (
              <li key={`${id}:${line}`}>
                <button
                  type="button"
                  class={`audit-cell is-${verdict}`}
                  aria-pressed={id === chosen}
                  aria-label={words.cell(id, words.verdicts[verdict])}
                  title={words.cell(id, words.verdicts[verdict])}
                  tabIndex={id === stop ? 0 : -1}
                  onClick={() => onChoose(id)}
                >
                  <span aria-hidden="true">{SIGNS[verdict]}</span> {id}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function Verdict({ page, texts, record }: Pick<ViewsProps, 'page' | 'texts'> & { readonly record: AuditRecord }) {
  const { audit: words } = texts
  const { rule_id: id, level, description, verdict, reason, shadowed_by: takers, conditions, events, filename, line } = record
  const last = events.at(-1)?.event ?? ''
  return (
    <section class={`audit-verdict is-${verdict}`} aria-live="polite" aria-label={words.cell(id, words.verdicts[verdict])}>
      <p class="audit-title">
        <strong>{`${SIGNS[verdict]} ${words.verdicts[verdict]}`}</strong>
        <span>{words.rule(id, level)}</span>
        <span class="muted">{description}</span>
      </p>
      <p>{words.meanings[verdict]}</p>
      {reason !== null && <p>{reason.text}</p>}
      {takers !== null && takers.length > 0 && <p>{words.takers(takers.join(', '))}</p>}
      {conditions.map(({ code, text }) => (
        <p key={code}>{words.onlyIf(text)}</p>
      ))}
      {events.length > 0 && (
        <>
          <p class="muted">{words.witness(events.length)}</p>
          <code class="difference-event">{last.length > EVENT_CHARACTERS ? `${last.slice(0, EVENT_CHARACTERS)}…` : last}</code>
        </>
      )}
      <div class="rule-card-actions">
        {events.length > 0 && (
          <button type="button" class="button" onClick={() => page.events.show(events)}>
            <Icon name="plus" />
            {texts.differences.show}
          </button>
        )}
        <OpenRuleButton page={page} filename={filename} line={line} />
      </div>
    </section>
  )
}
