// All that documents of tests are made of.
export * from './operation-parts.js';
export * from './schema-parts.js';
