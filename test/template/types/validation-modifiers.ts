import { defineResource } from '#kernel'
import { shape } from '#plugins/validation/index.ts'
import { Song } from './entities.ts'

const formats = { Live: 'live', Studio: 'studio' } as const

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, email, url, uuid, slug, ip, integer, decimal, dateTime, ...builders }) => [
    id(),
    string('title').required().minLength(1).maxLength(200).pattern(/\S/).slug().uniqueEntity(['title', 'code']),
    string('subtitle')
      .requiredOnCreate()
      .requiredOnUpdate()
      .nullable()
      .in(['live'])
      .notIn(['bootleg'])
      .enum(formats)
      .enumName('Format'),
    email('mail').storedAs('subtitle').strict(),
    url('site').storedAs('subtitle').allowedSchemes('https', 'ftp'),
    uuid('code').version(7),
    slug('slug').storedAs('subtitle').maxLength(20),
    ip('address').storedAs('subtitle').v4().v6().both(),
    integer('plays')
      .min(0)
      .max(10)
      .exclusiveMin(-1)
      .exclusiveMax(11)
      .multipleOf(2)
      .in([2, 4])
      .notIn([6])
      .enum([2, 4])
      .enumName('Plays'),
    decimal('price')
      .min(0.5)
      .compareWith('plays', 'GreaterThan')
      .rule(async (price) => (price.toFixed(2) === String(price) ? undefined : ['Two decimals.'])),
    dateTime('recordedAt')
      .before(() => new Date())
      .after('1950-01-01T00:00:00Z')
      .between('1950-01-01T00:00:00Z', () => new Date()),
    builders
      .arrayList('genres')
      .minItems(1)
      .maxItems(5)
      .uniqueItems()
      .each((item) => item.minLength(1)),
    builders
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
    builders.belongsTo('band', 'bands').required(),
    builders.hasMany('links', 'links').minItems(1).maxItems(9),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, email, ip, integer, boolean, dateTime, arrayList, arrayHash, belongsTo, hasMany }) => [
    id(),
    // @ts-expect-error Property 'min' does not exist
    string('title').min(1),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').maxLength('200'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').in('live'),
    // @ts-expect-error Type 'number' is not assignable to type
    string('title').in([1]),
    // @ts-expect-error Property 'toFixed' does not exist on type 'string'
    string('title').rule((title) => title.toFixed(2)),
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
    // @ts-expect-error Property 'required' does not exist
    hasMany('links', 'links').required(),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, email, uuid, ip, integer, dateTime, arrayList, arrayHash, hasMany }) => [
    id(),
    // @ts-expect-error Expected 0 arguments, but got 1.
    string('title').required(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    string('title').requiredOnCreate(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    string('title').requiredOnUpdate(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    string('title').nullable(true),
    // @ts-expect-error Type 'number' is not assignable to type
    string('title').notIn([1]),
    // @ts-expect-error Type 'number' is not assignable to type
    string('title').enum({ One: 1 }),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'string'
    string('title').enumName(1),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').minLength('1'),
    // @ts-expect-error Argument of type '"strict"' is not assignable to parameter of type
    string('title').email('strict'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').url('https'),
    // @ts-expect-error Argument of type '9' is not assignable to parameter of type
    string('title').uuid(9),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').slug('[a-z]'),
    // @ts-expect-error Argument of type '"v5"' is not assignable to parameter of type
    string('title').ip('v5'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').uniqueEntity('title'),
    // @ts-expect-error Property 'min' does not exist
    string('title').onUpdate((field) => field.min(1)),
    // @ts-expect-error Expected 2 arguments, but got 1.
    string('title').when(() => true),
    // @ts-expect-error Property 'min' does not exist
    string('title').constrain((field) => field.min(1)),
    // @ts-expect-error Property 'min' does not exist
    string('title').sequentially((field) => field.min(1)),
    // @ts-expect-error Property 'min' does not exist
    string('title').atLeastOneOf((field) => field.min(1)),
    // @ts-expect-error Expected 0 arguments, but got 1.
    email('subtitle').strict(true),
    // @ts-expect-error Argument of type '9' is not assignable to parameter of type
    uuid('code').version(9),
    // @ts-expect-error Expected 0 arguments, but got 1.
    ip('subtitle').v4(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    ip('subtitle').v6(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    ip('subtitle').both(true),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    integer('plays').min('1'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    integer('plays').max('1'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    integer('plays').exclusiveMin('1'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    integer('plays').exclusiveMax('1'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    integer('plays').multipleOf('1'),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    dateTime('recordedAt').before(1),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    dateTime('recordedAt').after(1),
    // @ts-expect-error Expected 2 arguments, but got 1.
    dateTime('recordedAt').between('1950-01-01T00:00:00Z'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    arrayList('genres').maxItems('1'),
    // @ts-expect-error Expected 0 arguments, but got 1.
    arrayList('genres').uniqueItems(true),
    // @ts-expect-error Property 'before' does not exist
    arrayList('genres').each((item) => item.before('1950')),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    arrayHash('extras').minProperties('1'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    arrayHash('extras').maxProperties('1'),
    // @ts-expect-error Type '"list"' is not assignable to type
    arrayHash('extras').constrain(shape.anyOf({ type: 'list' })),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    hasMany('links', 'links').maxItems('9'),
  ],
})
