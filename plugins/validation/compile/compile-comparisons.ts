import { type Attribute, codecOf } from '#kernel/plugin'
import type { ComparisonName, WriteTiming } from '../rules.ts'
import { type AppliedRules, appliedRules } from './applied-rules.ts'
import type { CompiledAttribute } from './compile-attributes.ts'

/** A comparison of an attribute with a sibling. */
export interface CompiledComparison extends Pick<AppliedRules, 'conditions'> {
  readonly sides: readonly [declaring: Side, other: Side]
  readonly comparison: ComparisonName
  /** Whether the stored value of a side may be compared with the sent value of the other. */
  readonly readsRow: boolean
}

export interface Side {
  readonly attribute: Attribute
  /** Null if no requester may write it, so that a sent value is ignored. */
  readonly writable: CompiledAttribute | null
  readonly fromWire: (value: unknown) => unknown
  readonly toWire: ((value: unknown) => unknown) | null
}

/** Leaves out pairs that no requester may write. */
export function compileComparisons(
  attributes: readonly Attribute[],
  writable: readonly CompiledAttribute[],
  timing: WriteTiming,
): readonly CompiledComparison[] {
  const toSide = (attribute: Attribute): Side => {
    const { fromWire, toWire } = codecOf(attribute)
    return { attribute, writable: writable.find((one) => one.attribute === attribute) ?? null, fromWire, toWire }
  }
  return attributes.flatMap((attribute) =>
    appliedRules(attribute.options.rules ?? {}, timing).flatMap(({ rules, conditions }) =>
      (rules.comparisons ?? []).flatMap(({ field, comparison }): CompiledComparison[] => {
        const named = attributes.find(({ name }) => name === field)
        if (!named) return []
        const [a, b] = [toSide(attribute), toSide(named)]
        if (!a.writable && !b.writable) return []
        const readsRow = (!!a.writable && isComparedWhenStored(b)) || (!!b.writable && isComparedWhenStored(a))
        return [{ sides: [a, b], comparison, conditions, readsRow }]
      }),
    ),
  )
}

/** Whether the stored value has the form of a sent one, and a requester may see it. */
export function isComparedWhenStored({ attribute: { property, fill, deserialize, writeOnly } }: Side): boolean {
  return property !== null && !fill && !deserialize && writeOnly === false
}
