import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { shape } from '#plugins/validation/index.ts'
import { Release } from './entity.ts'

const availability = shape.anyOf(
  { type: 'object', properties: { worldwide: { const: true } }, required: ['worldwide'] },
  {
    type: 'object',
    properties: { regions: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    required: ['regions'],
  },
)

const dimensions = shape.allOf(
  {
    type: 'object',
    properties: { widthMm: { type: 'number' }, heightMm: { type: 'number' } },
    required: ['widthMm', 'heightMm'],
  },
  { type: 'object', properties: { depthMm: { type: 'number' } } },
)

export default defineResource(Release, {
  type: 'releases',
  exampleId: '1',
  tags: ['Catalog'],
  fields: ({ id, string, integer, boolean, oneOf, obj, arrayHash, belongsTo }) => [
    id(),
    string('catalogNumber').required().maxLength(40).sortable().example('NODATA 01 CD'),
    oneOf('format')
      .discriminator('medium')
      .variant('vinyl', integer('rpm').required().min(16).max(78), boolean('coloured'))
      .variant('cd', integer('discs').required().min(1))
      .variant('digital', string('codec').required().maxLength(16), integer('bitrateKbps').min(32))
      .nullable(),
    obj('packaging', string('material').required().maxLength(40), boolean('gatefold')).nullable(),
    arrayHash('availability').constrain(availability).nullable(),
    arrayHash('dimensions').constrain(dimensions).nullable(),
    belongsTo('album', 'albums'),
  ],
  policy: open,
})
