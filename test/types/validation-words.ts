import { defineResource } from '#kernel'
import { shape } from '#plugins/validation/index.ts'
import { Song } from './entities.ts'

const formats = { Live: 'live', Studio: 'studio' } as const

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, email, url, uuid, slug, ip, integer, decimal, dateTime, ...words }) => [
    id(),
    string('title').required().minLength(1).maxLength(200).pattern(/\S/).slug().uniqueEntity(['title', 'code']),
    string('subtitle').requiredOnCreate().requiredOnUpdate().nullable().in(['live']).notIn(['bootleg']).enum(formats),
    email('mail').storedAs('subtitle').strict(),
    url('site').storedAs('subtitle').allowedSchemes('https', 'ftp'),
    uuid('code').version(7),
    slug('slug').storedAs('subtitle').maxLength(20),
    ip('address').storedAs('subtitle').v4().v6().both(),
    integer('plays').min(0).max(10).exclusiveMin(-1).exclusiveMax(11).multipleOf(2).in([2, 4]).notIn([6]).enum([2, 4]),
    decimal('price').min(0.5).compareWith('plays', 'GreaterThan'),
    dateTime('recordedAt')
      .before(() => new Date())
      .after('1950-01-01T00:00:00Z')
      .between('1950-01-01T00:00:00Z', () => new Date()),
    words
      .arrayList('genres')
      .minItems(1)
      .maxItems(5)
      .uniqueItems()
      .each((item) => item.minLength(1)),
    words
      .arrayHash('extras')
      .minProperties(1)
      .maxProperties(5)
      .constrain(shape.oneOf({ type: 'object' }).discriminator('kind')),
    string('rules')
      .computed()
      .onCreate((field) => field.minLength(8))
      .onUpdate((field) => field.maxLength(9))
      .when(
        (value, request) => value !== '' && request !== null,
        (field) => field.required(),
      )
      .constrain((field) => field.minLength(1))
      .sequentially((field) => field.minLength(2))
      .atLeastOneOf(
        (field) => field.minLength(3),
        (field) => field.pattern('x'),
      ),
    words.hasMany('links', 'links').minItems(1).maxItems(9),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, email, ip, integer, boolean, dateTime, arrayList, arrayHash, belongsTo }) => [
    id(),
    // @ts-expect-error Property 'min' does not exist
    string('title').min(1),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').maxLength('200'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').in('live'),
    // @ts-expect-error Type 'number' is not assignable to type
    string('title').in([1]),
    // @ts-expect-error Argument of type '"Larger"' is not assignable to parameter of type
    string('title').compareWith('subtitle', 'Larger'),
    // @ts-expect-error Property 'shiny' does not exist
    string('title').onCreate((field) => field.shiny()),
    // @ts-expect-error Expected 1 arguments, but got 0.
    string('title').pattern(),
    // @ts-expect-error Property 'allowedSchemes' does not exist
    email('subtitle').allowedSchemes('https'),
    // @ts-expect-error Property 'v5' does not exist
    ip('subtitle').v5(),
    // @ts-expect-error Property 'maxLength' does not exist
    integer('plays').maxLength(3),
    // @ts-expect-error Type 'string' is not assignable to type
    integer('plays').in(['2']),
    // @ts-expect-error Property 'minItems' does not exist
    boolean('live').minItems(1),
    // @ts-expect-error Property 'min' does not exist
    dateTime('recordedAt').min(1),
    // @ts-expect-error Property 'minLength' does not exist
    arrayList('genres').minLength(1),
    // @ts-expect-error Property 'minItems' does not exist
    arrayHash('extras').minItems(1),
    // @ts-expect-error Property 'minItems' does not exist
    belongsTo('band', 'bands').minItems(1),
  ],
})
