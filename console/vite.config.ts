import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const SERVICE = 'http://127.0.0.1:7700';

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwindcss()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // Both would put code or data into the page that its content security policy refuses.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // One file for all that the first screen needs: one request, and smaller than its parts compressed one by one.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'entry', tags: ['$initial'] }] } } },
  },
  server: { proxy: { '/api': SERVICE, '/console/session': SERVICE } },
});
