import { escapePointer, type Faults, type Operation, type Phrase, validationFailed } from '#kernel/plugin'
import type { Member } from '../compile/compiled-attribute.ts'

/** One look at the members of a write, at one level of it. */
export interface Look {
  readonly operation: Operation
  readonly moment: 'onCreate' | 'onUpdate'
  /** Where the members stand, or would stand, in the request. */
  readonly place: string
  readonly sent: Readonly<Record<string, unknown>>
  /** What is stored of them, before the change. */
  readonly stored: Readonly<Record<string, unknown>> | null
  readonly faults: Faults
}

/** Undefined when the member was not sent. */
export function sentValue({ attribute: { name } }: Member, { sent }: Look): unknown {
  return Object.hasOwn(sent, name) ? sent[name] : undefined
}

export function pointerTo({ attribute: { name } }: Member, { place }: Look): string {
  return `${place}/${escapePointer(name)}`
}

export function tell({ faults }: Look, pointer: string, message: Phrase): void {
  faults.push(validationFailed({ message }, { source: { pointer } }))
}
