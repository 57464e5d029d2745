/** What each section of an answer gets, and what a click in a picture does. */
import type { EventAnswer } from '../../worker/protocol.js'
import type { EditedEvent } from '../model/state.js'
import type { Captures, WayProps } from '../pictures/index.js'
import type { Props } from './props.js'

export interface SectionProps extends Props {
  readonly event: EditedEvent
  readonly answer: EventAnswer
  readonly captures: Captures
  /** Number of the field at which somebody points, in the event or in the list. */
  readonly pointed: number | null
  readonly onPoint: (field: number | null) => void
}

/** A rule or decoder is inspected, a place is opened. */
export function choosingOf({ page, state }: Props): Pick<WayProps, 'selected' | 'onSelect' | 'onOpen'> {
  return {
    selected: state.inspected?.target ?? null,
    onSelect: (target) => page.events.inspect(target),
    onOpen: (kind, filename, line) => void page.files.openAt(kind, filename, line),
  }
}
