r"""X-SAMPA: the IPA in ASCII (Wells 1995, Computer-coding the IPA: a proposed extension of SAMPA). Case matters.

A symbol is read from the left by longest match: `t_S` is t͡ʃ, but `t_d` is dental t̪ and `N_m` laminal ŋ̻, since a tie
bar is `_` where no diacritic is meant. Tones become the IPA's accents (`_T _H _M _L _B`, the contours `_R _F _H_T _B_L
_R_F`), downstep `!` and upstep `^` its arrows, and `_1` … `_6`, which each language defines, digits. `<R>` and `<F>`
(global rise and fall) and boundaries are no part of a phone, and unknown.
"""

import unicodedata

_LETTERS = r"""
    a a   b b   b_< ɓ   c c   d d   d` ɖ   d_< ɗ   e e   f f   g ɡ   g_< ɠ   h h   h\ ɦ   i i   j j   j\ ʝ   k k
    l l   l` ɭ   l\ ɺ   m m   n n   n` ɳ   o o   p p   p\ ɸ   q q   r r   r` ɽ   r\ ɹ   r\` ɻ   s s   s` ʂ   s\ ɕ
    t t   t` ʈ   u u   v v   v\ ʋ   P ʋ   w w   x x   x\ ɧ   y y   z z   z` ʐ   z\ ʑ
    p_< ɓ̥   t_< ɗ̥   c_< ʄ̥   k_< ɠ̥   q_< ʛ̥   d`_< ᶑ
    A ɑ   B β   B\ ʙ   C ç   D ð   E ɛ   F ɱ   G ɣ   G\ ɢ   G\_< ʛ   H ɥ   H\ ʜ   I ɪ   I\ ᵻ   J ɲ   J\ ɟ   J\_< ʄ
    K ɬ   K\ ɮ   L ʎ   L\ ʟ   M ɯ   M\ ɰ   N ŋ   N\ ɴ   O ɔ   O\ ʘ   Q ɒ   R ʁ   R\ ʀ   S ʃ   T θ   U ʊ   U\ ᵿ   V ʌ
    W ʍ   X χ   X\ ħ   Y ʏ   Z ʒ
    @ ə   @\ ɘ   { æ   } ʉ   1 ɨ   2 ø   3 ɜ   3\ ɞ   4 ɾ   5 ɫ   6 ɐ   7 ɤ   8 ɵ   9 œ   & ɶ   ? ʔ   ?\ ʕ
    <\ ʢ   >\ ʡ   ! ꜜ   !\ ǃ   |\ ǀ   |\|\ ǁ   =\ ǂ   ^ ꜛ   " ˈ   % ˌ   : ː   :\ ˑ   ` ˞   ' ʲ
    = 0329   ~ 0303   _" 0308   _+ 031F   _- 0320   _/ 030C   _0 0325   _= 0329   _> ʼ   _?\ ˤ   _\ 0302   _^ 032F
    _} 031A   _~ 0303   _A 0318   _a 033A   _B 030F   _B_L 1DC5   _c 031C   _d 032A   _e 0334   _F 0302   _G ˠ
    _H 0301   _H_T 1DC4   _h ʰ   _j ʲ   _k 0330   _L 0300   _l ˡ   _M 0304   _m 033B   _N 033C   _n ⁿ   _O 0339
    _o 031E   _q 0319   _R 030C   _R_F 1DC8   _r 031D   _T 030B   _t 0324   _v 032C   _w ʷ   _X 0306   _x 033D
    _1 1   _2 2   _3 3   _4 4   _5 5   _6 6   _ 0361
"""


_WORDS = _LETTERS.split()
TABLE = {
    key: chr(int(value, 16)) if len(value) == 4 else value for key, value in zip(_WORDS[::2], _WORDS[1::2], strict=True)
}
_LONGEST = max(map(len, TABLE))


def xsampa_to_ipa(symbol: str) -> str | None:
    r"""Return the IPA of an X-SAMPA symbol (NFC); None when a character of it is no X-SAMPA.

    Examples
    --------
    >>> [xsampa_to_ipa(symbol) for symbol in ("d`z`", "aI_^", "J\\_<", "b_<", "@`", "n_=", "tS_>", "ß")]
    ['ɖʐ', 'aɪ̯', 'ʄ', 'ɓ', 'ə˞', 'n̩', 'tʃʼ', None]
    """
    ipa = ""
    while symbol:
        length = next((n for n in range(_LONGEST, 0, -1) if symbol[:n] in TABLE), 0)
        if not length:
            return None
        ipa, symbol = ipa + TABLE[symbol[:length]], symbol[length:]
    return unicodedata.normalize("NFC", ipa) or None
