import type { Attribute, Relation } from './field.ts'

/** What a word changes in the definition it is said of; options are merged. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of a word are typed where it is declared
export type Word<Definition> = (definition: Definition, ...args: any[]) => Partial<Definition>

/** Words a plugin adds at run time; the compiler learns them by declaration merging. */
export interface Modifiers {
  readonly attribute?: Readonly<Record<string, Word<Attribute>>>
  readonly relation?: Readonly<Record<string, Word<Relation>>>
}
