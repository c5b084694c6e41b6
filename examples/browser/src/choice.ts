import { type AlbumFields, labels, readFields, toText, writeFields } from './album-fields.ts'
import { create } from './elements.ts'
import type { OtherChange } from './merge.ts'

/**
 * Radio buttons with both values of a field, which write the selected one to the form. A conflict has none selected, so
 * that the user must choose.
 */
export function toChoice(
  form: HTMLFormElement,
  { name, isConflict }: OtherChange,
  mine: AlbumFields,
  theirs: AlbumFields,
): HTMLElement {
  const option = (label: string, fields: AlbumFields, checked: boolean) => {
    const radio = create('input', { type: 'radio', name: `choice-${name}`, required: true, checked })
    radio.addEventListener('change', () => writeFields(form, { ...readFields(form), [name]: fields[name] }))
    return create('label', {}, radio, ` ${label}: ${toText(fields[name])}`)
  }
  return create(
    'fieldset',
    {},
    create('legend', {}, labels[name]),
    option('Saved by the other user', theirs, !isConflict),
    option(isConflict ? 'Yours' : 'Before', mine, false),
  )
}
