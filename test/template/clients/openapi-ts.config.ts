const clientOf = (name: string) => ({
  input: `./generated/${name}.json`,
  output: `./generated/hey-${name}`,
  plugins: [
    '@hey-api/client-fetch',
    '@hey-api/typescript',
    '@hey-api/sdk',
    // Date-times have an offset, as in 1997-05-21T00:00:00+00:00.
    { name: 'zod', dates: { offset: true } },
  ],
})

export default [clientOf('default'), clientOf('admin'), clientOf('live')]
