/** Icons, drawn on 16 units with lines of the colour of the text. */
const PATHS = {
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  dots: 'M3 8.001h1M7.5 8.001h1M12 8.001h1',
  check: 'M3 8.5l3.2 3.2L13 5',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  down: 'M4 6l4 4 4-4',
  share: 'M8 10V2.5M5 5l3-3 3 3M3 9v4h10V9',
  import: 'M8 2.5V10M5 7l3 3 3-3M3 11v2.5h10V11',
  export: 'M8 10V2.5M5 5.5l3-3 3 3M3 11v2.5h10V11',
  keys: 'M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M11.5 7h.01M5 9.3h6',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M7 7v3.5M9 7v3.5',
  again: 'M12.5 8A4.5 4.5 0 1 1 11 4.6M11.2 2.2v2.6H8.6',
  graph: 'M3 8h3.5M6.5 3.5v9M6.5 3.5H10M6.5 12.5H10M10.2 2h3.3v3h-3.3zM10.2 11h3.3v3h-3.3z',
  case: 'M3.5 2.5h9v11h-9zM5.7 8.2l1.6 1.6 3-3.2',
  open: 'M6.5 3.5h-3v9h9v-3M9 2.5h4.5V7M13 3L7.5 8.5',
  warning: 'M8 2.6l6 10.4H2zM8 6.5v3M8 11.3h.01',
  folder: 'M2 4.5v8h12V5.8H8L6.5 4.2H2z',
  cloud: 'M4.8 12.5a3 3 0 0 1-.3-6 3.8 3.8 0 0 1 7.3.7 2.7 2.7 0 0 1-.3 5.3z',
  spark: 'M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z',
} as const

export type IconName = keyof typeof PATHS

/** An icon beside a text, or in a control that has a name: it says nothing itself. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
