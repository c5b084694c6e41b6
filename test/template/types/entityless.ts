import { defineType } from '#kernel'
import { memoryStore } from '#memory'

interface Mood {
  id: string
  name: string
  friends: string[]
}

defineType<Mood>({
  type: 'moods',
  fields: ({ id, string, belongsTo, hasOne, hasMany, belongsToMany, morphTo, morphToMany }) => [
    id(),
    string('name'),
    belongsTo('friends', 'moods'),
    hasOne('friends', 'moods'),
    morphTo('friends', ['moods']),
    morphToMany('friends', ['moods']),
    hasMany('friends', 'moods'),
    belongsToMany('friends', 'moods').withFilters(({ contains }) => [contains('name')]),
  ],
  serializer: { attributes: { name: (mood) => mood.name } },
  filters: ({ whereHas, whereThrough }) => [whereHas('friends'), whereThrough('friends.name')],
  scope: () => ({ name: { $ne: 'sad' } }),
  ...memoryStore([]),
})

defineType<Mood>({
  type: 'moods',
  // @ts-expect-error is not assignable to type '(builders: RowBuilders<Mood>) => readonly Declared<true>[]'
  fields: ({ id, string }) => [id(), string('nmae')],
})

defineType<Mood>({
  type: 'moods',
  fields: ({ id, hasMany }) => [
    id(),
    // @ts-expect-error Argument of type '"freinds"' is not assignable to parameter of type
    hasMany('freinds', 'moods'),
  ],
})

// @ts-expect-error is not assignable to parameter of type
defineType<Mood>({ type: 'moods' })
