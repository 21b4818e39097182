import { listFields, type ShownField, type VisitorContext } from '../../../core/engine/records/visitor-context.ts';
import { builder } from '../builder.ts';
import { VisitorRef } from './visitor.ts';

const VisitorFieldRef = builder.objectRef<ShownField>('VisitorField').implement({
  description: 'A custom field that the website has sent about a visitor.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name that the website chose.' }),
    value: t.exposeString('value', { description: 'The value.' }),
    isVerified: t.exposeBoolean('isVerified', {
      description: "Whether the website has signed the field. Otherwise it comes from the visitor's browser.",
    }),
  }),
});

const VisitorContextRef = builder.objectRef<VisitorContext & { readonly browser: string }>('VisitorContext').implement({
  description: 'Where a visitor is, and what the website says about them. Values that were not sent are empty strings.',
  fields: (t) => ({
    page: t.exposeString('page', { description: 'The address of the page, http or https.' }),
    title: t.exposeString('title', { description: 'The title of the page.' }),
    referrer: t.exposeString('referrer', { description: 'The address of the page that led to this one.' }),
    language: t.exposeString('language', { description: 'The language of the browser, for example fr-CA.' }),
    timezone: t.exposeString('timezone', { description: "The visitor's time zone, for example Europe/Paris." }),
    browser: t.exposeString('browser', { description: 'The user agent of the browser when the session was opened.' }),
    fields: t.field({
      type: [VisitorFieldRef],
      description: 'Custom fields: those that the website has signed, then all others.',
      resolve: (context) => listFields(context),
    }),
    verifiedDetails: t.stringList({
      description: "Names of the visitor's details that the website has signed, for example `email`.",
      resolve: ({ verifiedDetails }) => [...verifiedDetails],
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the context last changed.' }),
  }),
});

/** Visible to those who can read the visitor. */
builder.objectField(VisitorRef, 'context', (t) =>
  t.field({
    type: VisitorContextRef,
    nullable: true,
    description: 'Where the visitor is, and custom fields of the website. Null if nothing was sent.',
    resolve: async ({ id, browser }, _args, { load }) => {
      const context = await load.visitorContext.load(id);
      return context ? { ...context, browser } : null;
    },
  }),
);
