/// OPENSTEP's names of languages, by code and by country.
///
/// A name is the one by which GNUstep knows the language in a search list (as run), or else Foundation's
/// English name without spaces and accents. The table is part of this package, so that recognising a
/// language's name does not have to wait for Foundation's locale data.
package enum LanguageTable {
  /// All languages for which Foundation has data, with and without a country, by name.
  package static let languages: [String: Language] = {
    var languages = [String: Language](minimumCapacity: 500)
    for (code, name) in pairs(namesWithData) + pairs(otherNames) {
      languages[name] = Language(name: name, plainName: name, code: code, region: nil)
    }
    for line in countries.split(separator: "\n") {
      let (code, plain) = languageOfCountries(line)
      for (region, country) in pairs(line.dropFirst(code.count)) {
        let name = country + plain
        languages[name] = Language(name: name, plainName: plain, code: code, region: region)
      }
    }
    return languages
  }()

  /// A language without a country by its name, found by a linear search of the text.
  ///
  /// Most processes need one language, and making all of them takes long (Architecture, “Start-up”).
  package static func plainLanguage(named name: String) -> Language? {
    for table in [otherNames, namesWithData] {
      let bytes = Array(table.utf8)
      var start = 0
      while start < bytes.count {
        guard isLetter(bytes[start]) else {
          start += 1
          continue
        }
        // A code, a space and a name.
        var space = start
        while space < bytes.count, isLetter(bytes[space]) { space += 1 }
        var end = space + 1
        while end < bytes.count, isLetter(bytes[end]) { end += 1 }
        if end - space - 1 == name.utf8.count, bytes[(space + 1)..<end].elementsEqual(name.utf8) {
          let code = String(decoding: bytes[start..<space], as: UTF8.self)
          return Language(name: name, plainName: name, code: code, region: nil)
        }
        start = end
      }
    }
    return nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }

  /// The name without a country by ISO code, including languages for which Foundation has no data.
  package static let namesByCode = [String: String](
    pairs(namesWithData) + pairs(codesWithoutData) + [("iw", "Hebrew")],
    uniquingKeysWith: { first, _ in first })

  /// The name with a country by locale, for example `fr_CA`.
  package static let regionalNames: [String: String] = {
    var names: [String: String] = [:]
    for language in languages.values {
      guard let region = language.region else { continue }
      names["\(language.code)_\(region)"] = language.name
    }
    return names
  }()

  /// Languages that have a name but no domain.
  static let namesWithoutData = Set(pairs(codesWithoutData).map(\.1))

  /// The pairs of words between commas and line ends.
  ///
  /// A loop takes a fraction of the time of splitting (Architecture, “Start-up”).
  private static func pairs(_ table: some StringProtocol) -> [(String, String)] {
    var pairs: [(String, String)] = []
    pairs.reserveCapacity(table.utf8.count / 8)
    var (words, word): ([String], [UInt8]) = ([], [])
    for byte in Array(table.utf8) + [separators[0]] {
      guard separators.contains(byte) else {
        word.append(byte)
        continue
      }
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word.removeAll(keepingCapacity: true)
      guard byte != space else { continue }
      if words.count == 2 { pairs.append((words[0], words[1])) }
      words.removeAll(keepingCapacity: true)
    }
    return pairs
  }

  private static let space = UInt8(ascii: " ")
  private static let separators = [UInt8(ascii: ","), UInt8(ascii: "\n"), space]

  private static func languageOfCountries(_ line: Substring) -> (code: String, name: String) {
    let code = String(line.prefix { $0 != " " })
    return (code, namesByCode[code] ?? code)
  }

  private static let namesWithData = """
    af Afrikaans, agq Aghem, ak Akan, am Amharic, ar Arabic, as Assamese, asa Asu, ast Asturian,
    az Azerbaijani, bas Basaa, be Belarusian, bem Bemba, bez Bena, bg Bulgarian, bgc Haryanvi,
    bho Bhojpuri, blo Anii, bm Bambara, bn Bengali, bo Tibetan, br Breton, brx Bodo, bs Bosnian,
    byn Blin, ca Catalan, ccp Chakma, ce Chechen, ceb Cebuano, cgg Chiga, chr Cherokee,
    cic Chickasaw, ckb SoraniKurdish, cs Czech, csw SwampyCree, cv Chuvash, cy Welsh, da Danish,
    dav Taita, de German, dje Zarma, doi Dogri, dsb LowerSorbian, dua Duala, dyo JolaFonyi,
    dz Bhutani, ebu Embu, ee Ewe, el Greek, en English, eo Esperanto, es Spanish, et Estonian,
    eu Basque, ewo Ewondo, fa Persian, ff Fulah, fi Finnish, fil Filipino, fo Faroese, fr French,
    fur Friulian, fy WesternFrisian, ga Irish, gaa Ga, gd Gaelic, gez Geez, gl Gallegan,
    gn Guarani, gsw SwissGerman, gu Gujarati, guz Gusii, gv Manx, ha Hausa, haw Hawaiian,
    he Hebrew, hi Hindi, hr Croatian, hsb UpperSorbian, hu Hungarian, hy Armenian,
    ia Interlingua, id Indonesian, ie Interlingue, ig Igbo, ii SichuanYi, is Icelandic,
    it Italian, iu Inuktitut, ja Japanese, jgo Ngomba, jmc Machame, jv Javanese, ka Georgian,
    kab Kabyle, kaj Jju, kam Kamba, kcg Tyap, kde Makonde, kea Kabuverdianu, kgp Kaingang,
    khq KoyraChiini, ki Kikuyu, kk Kazakh, kkj Kako, kl Greenlandic, kln Kalenjin, km Cambodian,
    kn Kannada, ko Korean, kok Konkani, ks Kashmiri, ksb Shambala, ksf Bafia, ksh Colognian,
    ku Kurdish, kw Cornish, kxv Kuvi, ky Kirghiz, lag Langi, lb Luxembourgish, lg Ganda,
    lij Ligurian, lkt Lakota, lmo Lombard, ln Lingala, lo Lao, lrc NorthernLuri, lt Lithuanian,
    lu LubaKatanga, luo Luo, luy Luyia, lv Latvian, mai Maithili, mas Masai, mer Meru,
    mfe Morisyen, mg Malagasy, mgh MakhuwaMeetto, mgo Meta, mi Maori, mk Macedonian,
    ml Malayalam, mn Mongolian, mni Manipuri, mr Marathi, ms Malay, mt Maltese, mua Mundang,
    mus Mvskoke, my Burmese, myv Erzya, mzn Mazanderani, naq Nama, nb NorwegianBokmal,
    nd NdebeleNorth, nds LowGerman, ne Nepali, nl Dutch, nmg Kwasio, nn NorwegianNynorsk,
    nnh Ngiemboon, no Norwegian, nqo NKo, nr NdebeleSouth, nso NorthernSotho, nus Nuer,
    ny Chichewa, nyn Nyankole, oc Occitan, om Oromo, or Oriya, os Ossetian, osa Osage,
    pa Punjabi, pcm NigerianPidgin, pl Polish, prg Prussian, ps Pashto, pt Portuguese,
    qu Quechua, raj Rajasthani, rm Romansh, rn Rundi, ro Romanian, rof Rombo, ru Russian,
    rw Kinyarwanda, rwk Rwa, sa Sanskrit, sah Sakha, saq Samburu, sat Santali, sbp Sangu,
    sc Sardinian, sd Sindhi, se NorthernSaami, seh Sena, ses KoyraboroSenni, sg Sango,
    shi Tachelhit, si Sinhala, sk Slovak, sl Slovenian, smn InariSami, sn Shona, so Somali,
    sq Albanian, sr Serbian, ss Swati, st Sotho, su Sundanese, sv Swedish, sw Swahili,
    syr Assyrian, szl Silesian, ta Tamil, te Telugu, teo Teso, tg Tajik, th Thai, ti Tigrinya,
    tig Tigre, tk Turkmen, tl Tagalog, tn Tswana, to Tonga, tok TokiPona, tr Turkish, trv Taroko,
    ts Tsonga, tt Tatar, twq Tasawaq, tzm CentralAtlasTamazight, ug Uighur, uk Ukrainian,
    ur Urdu, uz Uzbek, vai Vai, ve Venda, vec Venetian, vi Vietnamese, vmw Makhuwa, vun Vunjo,
    wae Walser, wal Wolaytta, wo Wolof, xh Xhosa, xnr Kangri, xog Soga, yav Yangben, yi Yiddish,
    yo Yoruba, yrl Nheengatu, yue Cantonese, za Zhuang, zgh StandardMoroccanTamazight,
    zh Chinese, zu Zulu
    """

  // The present names of languages that the list above has with their former names.
  private static let otherNames = """
    bn Bangla, dz Dzongkha, ff Fula, gd ScottishGaelic, gl Galician, kl Kalaallisut, km Khmer,
    ky Kyrgyz, nd NorthNdebele, nr SouthNdebele, ny Nyanja, or Odia, os Ossetic,
    se NorthernSami, st SouthernSotho, to Tongan, ug Uyghur
    """

  // Foundation has no data for these, or calls their months M01 to M12; such a domain would hide the names of
  // a language further down the list.
  private static let codesWithoutData = """
    aa Afar, ab Abkhazian, ain Ainu, an Aragonese, apw WesternApache, arn Mapuche, av Avaric,
    ay Aymara, ba Bashkir, ber Amazigh, bh Bihari, bi Bislama, ch Chamorro, cho Choctaw,
    co Corsican, cr Cree, cu ChurchSlavic, dv Maldivian, fj Fijian, hmn Hmong, ho HiriMotu,
    ht Haitian, hz Herero, ik Inupiak, inh Ingush, io Ido, jbo Lojban, kg Kongo, kj Kwanyama,
    kpe Kpelle, kr Kanuri, kv Komi, la Latin, li Limburgish, lut Lushootseed, mh Marshallese,
    mic Mikmaw, mid Mandaic, mo Moldavian, moh Mohawk, na Nauru, ng Ndonga, nnp Wancho,
    nv Navajo, oj Ojibwa, pi Pali, pqm Wolastoqey, rej Rejang, rhg Rohingya, scn Sicilian,
    sjd KildinSami, sje PiteSami, sju UmeSami, sm Samoan, tw Twi, ty Tahitian, wa Walloon
    """

  // A language, then each country with a name in it, and the prefix of that name.
  private static let countries = """
    ar AE UnitedArabEmirates, BH Bahrain, DZ Algeria, EG Egypt, IN India, IQ Iraq, JO Jordan, KW Kuwait, \
    LB Lebanon, LY Libya, MA Morocco, OM Oman, QA Qatar, SA SaudiArabia, SD Sudan, SY Syria, TN Tunisia, \
    YE Yemen
    bn BD Bangladesh, IN India
    de AT Austria, BE Belgium, CH Switzerland, LU Luxemburg
    el GR Greece
    en AU Australia, BW Botswana, CA Canada, DK Denmark, GB Britain, HK HongKong, IE Ireland, IN India, \
    NZ NewZealand, PH Philippines, SG Singapore, US American, ZA SouthAfrica, ZW Zimbabwe
    es AR Argentina, BO Bolivia, CL Chile, CO Colombia, CR CostaRica, DO DominicanRepublic, EC Ecuador, \
    ES Spain, GT Guatemala, HN Honduras, MX Mexico, NI Nicaragua, PA Panama, PE Peru, PR PuertoRico, \
    PY Paraguay, SV ElSalvador, US USA, UY Uruguay, VE Venezuela
    et EE Estonia
    eu ES Spain
    fr BE Belgium, CA Canada, CH Switzerland, LU Luxemburg
    gd GB Scots
    it CH Switzerland
    nl BE Belgium, NL Netherlands
    om ET Ethiopia, KE Kenya
    pt BR Brasil
    ru UA Ukraine
    so DJ Djibouti, ET Ethiopia, KE Kenya, SO Somalia
    sv FI Finland
    ti ER Eritrea, ET Ethiopia
    zh CN Simplified, HK HongKong, SG Singapore, TW Traditional
    """
}
