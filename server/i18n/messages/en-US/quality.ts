/** The terms of the quality score in English: what each looks at, and how it takes points. */
export const quality = {
  errors: { title: 'Errors', explanation: 'Errors in the content: {count}. Each takes {each} points, up to {most}. While one stands, the score is at most 59.' },
  warnings: { title: 'Warnings', explanation: 'Warnings in the content: {count}. Each takes {each} points, up to {most}.' },
  infos: { title: 'Remarks', explanation: 'Remarks on the content: {count}. Each takes {each} point, up to {most}.' },
  untested_rules: { title: 'Rules without a test', explanation: 'Rules that no case goes through: {count} of {of}. All of them would take {most} points, some their share.' },
  failed_cases: { title: 'Failed cases', explanation: 'Cases that fail: {count} of {of}. All of them would take {most} points, some their share.' },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly explanation: string }>>
