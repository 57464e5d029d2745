/** The terms of the quality score in English: what each term counts, and how many points it deducts. */
export const quality = {
  errors: { title: 'Errors', explanation: 'Errors in the content: {count}. Each deducts {each} points, up to {most}. With any error the score is at most 59.' },
  warnings: { title: 'Warnings', explanation: 'Warnings in the content: {count}. Each deducts {each} points, up to {most}.' },
  infos: { title: 'Remarks', explanation: 'Remarks on the content: {count}. Each deducts {each} point, up to {most}.' },
  untested_rules: { title: 'Rules without a test', explanation: 'Rules that no case covers: {count} of {of}. The deduction is proportional, up to {most} points.' },
  failed_cases: { title: 'Failed cases', explanation: 'Cases that fail: {count} of {of}. The deduction is proportional, up to {most} points.' },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly explanation: string }>>
