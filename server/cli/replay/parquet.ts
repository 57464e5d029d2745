/** Writes alerts as a Parquet file, row group by row group, from their lines of JSON. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { ALERT_COLUMNS } from '#engine'

/** Rows of a row group at most, and bytes of their lines: a group is in memory. */
const GROUP_ROWS = 50_000
const GROUP_BYTES = 16 * 1024 * 1024

type Kind = 'text' | 'number' | 'time' | 'json'

/** Columns that are no texts. */
const KINDS: Readonly<Record<string, Kind>> = {
  line: 'number',
  level: 'number',
  'rule.level': 'number',
  'rule.firedtimes': 'number',
  time: 'time',
  'rule.groups': 'json',
  'rule.attack_ids': 'json',
  fields: 'json',
  previous_output: 'json',
}

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'INT64' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
} as const satisfies Readonly<Record<Kind, Omit<SchemaElement, 'name'>>>

/** @param select names of columns and fields; null: all columns @param lines each an alert as JSON */
export async function writeParquet(path: string, select: readonly string[] | null, lines: AsyncIterable<Buffer>): Promise<void> {
  const names = [...new Set(select ?? ALERT_COLUMNS)]
  const descriptor = openSync(path, 'w')
  try {
    const bytes = new ByteWriter()
    const schema: SchemaElement[] = [
      { name: 'alerts', num_children: names.length },
      ...names.map((name): SchemaElement => ({ name, ...TYPES[kindOf(name)], repetition_type: 'OPTIONAL' })),
    ]
    const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'detection-content' })
    const save = (): void => {
      const written = bytes.getBytes()
      for (let at = 0; at < written.length; ) at += writeSync(descriptor, written, at)
      // What is written is not kept; offsets go on.
      bytes.index = 0
    }
    let rows: Record<string, unknown>[] = []
    let size = 0
    const group = (): void => {
      const columnData = names.map((name) => ({ name, data: rows.map((row) => cellOf(row, name, select !== null)), offsetIndex: false }))
      writer.write({ columnData, rowGroupSize: GROUP_ROWS })
      save()
      rows = []
      size = 0
    }
    for await (const line of lines) {
      rows.push(JSON.parse(line.toString('utf8')) as Record<string, unknown>)
      size += line.length
      if (rows.length >= GROUP_ROWS || size >= GROUP_BYTES) group()
    }
    if (rows.length > 0) group()
    writer.finish()
    save()
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function kindOf(name: string): Kind {
  return Object.hasOwn(KINDS, name) ? KINDS[name] : 'text'
}

/** @param isFlat the names are those of members; else a dot leads into an object */
function cellOf(row: Record<string, unknown>, name: string, isFlat: boolean): unknown {
  const dot = isFlat ? -1 : name.indexOf('.')
  const value = dot < 0 ? row[name] : (row[name.slice(0, dot)] as Record<string, unknown>)[name.slice(dot + 1)]
  if (value === null || value === undefined) return null
  switch (kindOf(name)) {
    case 'number':
      return BigInt(value as number)
    case 'time':
      return new Date(String(value))
    case 'json':
      return value
    case 'text':
      return String(value)
  }
}
